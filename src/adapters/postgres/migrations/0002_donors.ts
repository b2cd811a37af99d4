import { statements } from "./Statements.ts"

/**
 * Donors, the words that they are found by, and the segments that they are in. Here and below, a primary key is made
 * after the other indexes that hold the id: among indexes that seem equally good, as all do before the first ANALYZE,
 * the planner takes the newest.
 */
export const donors = statements(
  `
    CREATE TABLE donors (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      donor_type text NOT NULL,
      first_name text,
      last_name text,
      organisation_name text,
      email text,
      phone text,
      address_line1 text,
      address_line2 text,
      suburb text,
      state text,
      postcode text,
      country text NOT NULL,
      employer_name text,
      occupation text,
      do_not_contact boolean NOT NULL,
      marketing_consent_at timestamptz(3),
      profile_revision integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      archived_at timestamptz(3),
      email_key text COLLATE "C",
      last_name_key text COLLATE "C" NOT NULL
    ) WITH (fillfactor = 90)`,
  `CREATE INDEX donors_email ON donors (organisation_id, email_key, created_at, id)`,
  `CREATE INDEX donors_type ON donors (organisation_id, donor_type, created_at, id)`,
  `CREATE INDEX donors_last_name ON donors (organisation_id, last_name_key, id)`,
  `CREATE INDEX donors_updated ON donors (organisation_id, updated_at, id)`,
  `CREATE INDEX donors_created ON donors (organisation_id, created_at, id)`,
  `ALTER TABLE donors ADD PRIMARY KEY (organisation_id, id)`,
  `
    CREATE TABLE donor_words (
      organisation_id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      word text COLLATE "C" NOT NULL
    )`,
  `CREATE INDEX donor_words_word ON donor_words (organisation_id, word, donor_id)`,
  `ALTER TABLE donor_words ADD PRIMARY KEY (organisation_id, donor_id, word)`,
  `
    CREATE TABLE segments (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      slug text NOT NULL,
      name text NOT NULL,
      description text,
      segment_type text NOT NULL,
      rule jsonb NOT NULL,
      member_count integer NOT NULL,
      last_computed_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id),
      CONSTRAINT segments_slug UNIQUE (organisation_id, slug)
    )`,
  `
    CREATE TABLE segment_members (
      organisation_id text COLLATE "C" NOT NULL,
      segment_id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (organisation_id, segment_id, donor_id),
      FOREIGN KEY (organisation_id, segment_id) REFERENCES segments (organisation_id, id) ON DELETE CASCADE
    )`
)
