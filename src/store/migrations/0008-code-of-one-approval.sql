-- It named an approval, which nothing asks for: a later one replaces the record whole.
ALTER TABLE authorization_code DROP COLUMN issue_id;
