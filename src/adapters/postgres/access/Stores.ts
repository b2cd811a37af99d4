import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKey, active } from "../../../domain/access/ApiKey.ts"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { Integration, TransferAccount } from "../../../domain/access/Integration.ts"
import { admin, Membership, User, userEmailKey } from "../../../domain/access/Membership.ts"
import { Organisation } from "../../../domain/access/Organisation.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { ApiKeyStore } from "../../../ports/access/ApiKeyStore.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { readBeside, runWrite } from "../connection/DeferredTransaction.ts"
import { insertions, insertRecord, makeRecords, readOrDie, storeFrom, updateRecord } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"

const organisationRows = rowsOf(Organisation)

const organisationStore = storeFrom(OrganisationStore, function* (sql) {
  const select = sql`SELECT ${sql.literal(organisationRows.columns("o"))} FROM organisations AS o`
  const everywhere = sql`SELECT ${sql.literal(organisationRows.columns("o"))} FROM /* every organisation */ organisations AS o`
  const findBySlug = (slug: string) => organisationRows.first(sql`${everywhere} WHERE o.slug = ${slug}`)

  const insert: OrganisationStore["Service"]["insert"] = Effect.fnUntraced(function* (organisation) {
    const written = yield* Effect.orDie(
      sql`${insertRecord(sql, "organisations", organisation)} ON CONFLICT (slug) DO NOTHING RETURNING id`
    )
    if (written.length > 0) return
    const holders = yield* Effect.orDie(
      sql<{
        readonly id: string
      }>`SELECT id FROM /* every organisation */ organisations WHERE slug = ${organisation.slug}`
    )
    return yield* new AlreadyTaken({ record: "organisation", field: "slug", holder_id: holders[0]?.id ?? "" })
  })

  return {
    insert,
    find: (id) => organisationRows.first(readBeside(sql`${select} WHERE o.id = ${id}`)),
    findForUpdate: (id) => organisationRows.first(sql`${select} WHERE o.id = ${id} FOR NO KEY UPDATE`),
    findBySlug,
    all: organisationRows.all(sql`${everywhere} ORDER BY o.created_at, o.id`),
    update: (organisation) => Effect.asVoid(Effect.orDie(updateRecord(sql, "organisations", organisation, ["id"])))
  }
})

/** Whether no organisation was ever made: then nothing is in the database that is anybody's. */
export const isUnused: Effect.Effect<boolean, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 FROM /* every organisation */ organisations LIMIT 1`).length === 0
}).pipe(Effect.orDie)

const keyRows = rowsOf(ApiKey)

/** Both records have fields of the same names: the key's columns are told apart by a prefix. */
const prefix = "key_"
const keyColumns = keyRows.names.map((name) => `k.${name} AS ${prefix}${name}`).join(", ")

const keyOf = (row: Readonly<Record<string, unknown>>): ApiKey =>
  keyRows.read(Object.fromEntries(keyRows.names.map((name) => [name, row[`${prefix}${name}`]])))

const apiKeyStore = storeFrom(ApiKeyStore, function* (sql) {
  const select = sql`SELECT ${sql.literal(keyRows.columns("k"))} FROM api_keys AS k`
  const isActive = ruleOf(sql, active, "k")
  const withOrganisation = sql.literal(`${keyColumns}, ${organisationRows.columns("o")}`)

  return {
    insert: (key) => Effect.asVoid(Effect.orDie(insertRecord(sql, "api_keys", key))),
    findActive: (secret_hash) =>
      readOrDie(
        sql`
              SELECT ${withOrganisation} FROM /* every organisation */ api_keys AS k
              JOIN organisations AS o ON o.id = k.organisation_id
              WHERE k.secret_hash = ${secret_hash} AND ${isActive}`,
        ([row]) =>
          row === undefined ? Option.none() : Option.some({ key: keyOf(row), organisation: organisationRows.read(row) })
      ),
    findForUpdate: (organisation_id, id) =>
      keyRows.first(sql`${select} WHERE k.organisation_id = ${organisation_id} AND k.id = ${id} FOR NO KEY UPDATE`),
    list: (organisation_id) =>
      keyRows.all(sql`${select} WHERE k.organisation_id = ${organisation_id} ORDER BY k.created_at, k.id`),
    update: (key) => Effect.asVoid(Effect.orDie(updateRecord(sql, "api_keys", key)))
  }
})

export const auditRows = rowsOf(AuditEntry)

const auditStore = storeFrom(AuditStore, function* (sql) {
  return {
    append: (entry) => Effect.orDie(runWrite(insertions(sql, "audit_entries", [entry]))),
    list: (organisation_id, limit) =>
      auditRows.all(sql`
          SELECT ${sql.literal(auditRows.columns("a"))} FROM audit_entries AS a WHERE a.organisation_id = ${organisation_id}
          ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}`)
  }
})

const integrationRows = rowsOf(Integration)
const accounts = rowsOf(TransferAccount)

const integrationStore = storeFrom(IntegrationStore, function* (sql) {
  const columns = sql.literal(integrationRows.columns("t"))
  const select = sql`SELECT ${columns} FROM integrations AS t`
  return {
    ...makeRecords(sql, { rows: integrationRows, table: "integrations" }),
    find: (organisation_id, id) =>
      integrationRows.first(readBeside(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)),
    defaultAnd: (organisation_id, ids) =>
      accounts.all(
        readBeside(sql`
            SELECT ${sql.literal(accounts.columns("t"))} FROM /* every organisation */ integrations AS t
            WHERE t.id = ANY(${ids}::text[]) OR (t.organisation_id = ${organisation_id} AND t.is_default AND t.is_active)`)
      ),
    ofId: (id) =>
      integrationRows.first(sql`
          SELECT ${columns} FROM /* every organisation */ integrations AS t WHERE t.id = ${id}`),
    ofAccount: (processor, account) =>
      integrationRows.all(sql`
          SELECT ${columns} FROM /* every organisation */ integrations AS t
          WHERE t.processor_connect_account_id = ${account} AND t.processor = ${processor}`),
    findByPassphrase: (hashes) =>
      integrationRows.first(sql`
          SELECT ${columns}
          FROM unnest(${hashes.map(({ key_id }) => key_id)}::text[], ${hashes.map(({ hash }) => hash)}::text[])
            AS h (key_id, hash)
          JOIN /* every organisation */ integrations AS t ON t.passphrase_hash = h.hash AND t.passphrase_key_id = h.key_id
          LIMIT 1`)
  }
})

const userRows = rowsOf(User)
const membershipRows = rowsOf(Membership)

const userStore = storeFrom(UserStore, function* (sql) {
  const users = sql`SELECT ${sql.literal(userRows.columns("u"))} FROM users AS u`
  const members = sql`SELECT ${sql.literal(membershipRows.columns("m"))} FROM memberships AS m`
  const everywhere = sql`SELECT ${sql.literal(membershipRows.columns("m"))} FROM /* every organisation */ memberships AS m`

  const holderOf = (email: string) =>
    Effect.orDie(sql<{ readonly id: string }>`SELECT id FROM users WHERE email_key = ${userEmailKey(email)}`)

  /** Waits for a transaction that is writing the same address; when that one gives up there is another try. */
  const insert = (user: User): Effect.Effect<void, AlreadyTaken> =>
    Effect.gen(function* () {
      const row = { ...user, email_key: userEmailKey(user.email) }
      const written = yield* Effect.orDie(
        sql`${insertRecord(sql, "users", row)} ON CONFLICT (email_key) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return
      const [holder] = yield* holderOf(user.email)
      return yield* holder === undefined
        ? insert(user)
        : Effect.fail(new AlreadyTaken({ record: "user", field: "email", holder_id: holder.id }))
    })

  const putMembership = Effect.fnUntraced(function* (membership: Membership) {
    const [row] = yield* membershipRows.all(sql`
      ${insertRecord(sql, "memberships", membership)}
      ON CONFLICT (organisation_id, user_id) DO UPDATE SET role = EXCLUDED.role, updated_at = EXCLUDED.updated_at
      RETURNING ${sql.literal(membershipRows.columns("memberships"))}`)
    return row ?? membership
  })

  return {
    insert,
    find: (id) => userRows.first(sql`${users} WHERE u.id = ${id}`),
    findByEmail: (email) => userRows.first(sql`${users} WHERE u.email_key = ${userEmailKey(email)}`),
    all: userRows.all(sql`${users} ORDER BY u.created_at, u.id`),
    putMembership,
    removeMembership: (organisation_id, user_id) =>
      membershipRows.first(sql`
        DELETE FROM memberships AS m WHERE m.organisation_id = ${organisation_id} AND m.user_id = ${user_id}
        RETURNING ${sql.literal(membershipRows.columns("m"))}`),
    findMembership: (organisation_id, user_id) =>
      membershipRows.first(sql`${members} WHERE m.organisation_id = ${organisation_id} AND m.user_id = ${user_id}`),
    memberships: (user_id) =>
      membershipRows.all(sql`${everywhere} WHERE m.user_id = ${user_id} ORDER BY m.created_at, m.organisation_id`),
    admins: (organisation_id) =>
      userRows.all(sql`
        SELECT ${sql.literal(userRows.columns("u"))} FROM memberships AS m JOIN users AS u ON u.id = m.user_id
        WHERE m.organisation_id = ${organisation_id} AND ${ruleOf(sql, admin, "m")} ORDER BY m.created_at, m.user_id`)
  }
})

export const layer = Layer.mergeAll(organisationStore, apiKeyStore, auditStore, integrationStore, userStore)
