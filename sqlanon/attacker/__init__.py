"""The tables that an attacker has of a publication, and attempts of attacks with them."""
