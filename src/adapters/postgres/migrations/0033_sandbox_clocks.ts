import { statements } from "./Statements.ts"

/** How far the clocks of sandboxes are ahead of the real time, and who moves one now. */
export const sandboxClocks = statements(
  `
    CREATE TABLE sandbox_clocks (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      ahead_millis bigint NOT NULL DEFAULT 0,
      holder text COLLATE "C",
      held_until timestamptz
    )`
)
