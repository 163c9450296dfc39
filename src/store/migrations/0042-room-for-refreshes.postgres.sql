-- A page of grants keeps a tenth free. A refreshed row then goes where the one before was, and no index hears of it; on a full page it goes
-- elsewhere, and to every index. Pages that are full already get room as their rows move.
ALTER TABLE token_family SET (fillfactor = 90);
