import { statements } from "./Statements.ts"

/** The days that bank statements cover, of those, too, whose lines are recorded already. */
export const importedStatements = statements(
  `
    CREATE TABLE imported_statements (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      integration_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      first_day date NOT NULL,
      last_day date NOT NULL,
      PRIMARY KEY (organisation_id, import_id),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    )`,
  `CREATE INDEX imported_statements_last ON imported_statements (organisation_id, last_day)`,
  `
    INSERT INTO imported_statements (organisation_id, integration_id, import_id, account, first_day, last_day)
    SELECT c.organisation_id, min(c.integration_id), c.import_id, min(c.account), min(c.day),
      least(max(c.day), min(i.statement_until))
    FROM credits AS c
    JOIN integrations AS i ON i.organisation_id = c.organisation_id AND i.id = c.integration_id
    WHERE c.import_id IS NOT NULL AND c.voided_at IS NULL AND i.statement_until IS NOT NULL
    GROUP BY c.organisation_id, c.import_id`
)
