import { statements } from "./Statements.ts"

/** What organisations set about the look of their pages, and their logos. */
export const looks = statements(
  `ALTER TABLE giving_settings
     ADD COLUMN accent_color text,
     ADD COLUMN logo text,
     ADD COLUMN embed_origins text[] NOT NULL DEFAULT '{}'`,
  `CREATE TABLE giving_logos (
     organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
     name text NOT NULL,
     data text NOT NULL
   )`
)
