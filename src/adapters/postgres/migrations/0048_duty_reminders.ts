import { statements } from "./Statements.ts"

/** The day on which an organisation's admins were last reminded of duties. */
export const dutyReminders = statements(
  `
    CREATE TABLE duty_reminders (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      day text COLLATE "C" NOT NULL
    )`,
  `CREATE INDEX disclosures_due_anywhere ON disclosures (due_at, organisation_id) WHERE due_at IS NOT NULL`
)
