from tests.support.own_folder import command, folder

__all__ = ["command", "folder"]
