-- The number of equal requests that a row of the log stands for (request-log/equal-requests.ts).
ALTER TABLE request_log ADD COLUMN repeated BIGINT NOT NULL DEFAULT 1;
