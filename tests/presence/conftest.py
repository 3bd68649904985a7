from tests.support.own_folder import folder

__all__ = ["folder"]
