-- The member who created the link, which works only while they are an owner. NULL: the command line, or a version without this column.
ALTER TABLE invitation ADD COLUMN created_by TEXT;
