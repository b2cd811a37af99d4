import { statements } from "./Statements.ts"

/** What guards pages against whoever tries out stolen cards. */
export const cardGuards = statements(`
  CREATE TABLE card_guards (
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
    subject text COLLATE "C" NOT NULL,
    credit int NOT NULL,
    credit_at timestamptz NOT NULL,
    in_flight int NOT NULL,
    begun_at timestamptz NOT NULL,
    closed_until timestamptz,
    closings int NOT NULL,
    PRIMARY KEY (organisation_id, subject)
  )`)
