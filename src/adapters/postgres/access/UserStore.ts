import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { admin, Membership, User, userEmailKey } from "../../../domain/access/Membership.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"

const userRows = rowsOf(User)
const membershipRows = rowsOf(Membership)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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

  return UserStore.of({
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
  })
})

export const layer: Layer.Layer<UserStore, never, SqlClient.SqlClient> = Layer.effect(UserStore, make)
