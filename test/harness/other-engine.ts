/** A database whose server says that it is not PostgreSQL itself. Everything else is that of PostgreSQL. */
import { administer } from './migrated.ts';

/** Hides the function `version` in the database of `url`. Tables are in the schema `engine`. */
export async function pretendOtherEngine(url: string): Promise<void> {
  await administer(
    url,
    `CREATE SCHEMA engine;
     CREATE FUNCTION engine.version() RETURNS TEXT LANGUAGE sql
       AS $$ SELECT 'PostgreSQL 15.12-YB-2025.2.0.0-b131 on x86_64-pc-linux-gnu' $$;
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = engine, pg_catalog', current_database());
     END $$`,
  );
}
