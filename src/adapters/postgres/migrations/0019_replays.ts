import { statements } from "./Statements.ts"

/** Replays are found by their event. They are few, and other deliveries are in neither index. */
export const replays = statements(
  `
    CREATE INDEX pending_deliveries_replays ON pending_deliveries (organisation_id, event_id)
    WHERE replay_of IS NOT NULL`,
  `
    CREATE INDEX finished_deliveries_replays ON finished_deliveries (organisation_id, event_id)
    WHERE replay_of IS NOT NULL`
)
