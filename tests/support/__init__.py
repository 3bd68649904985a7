"""What several tests share: tables, plans, servers, pages."""
