import { EventEmitter } from "node:events"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as HostPool from "../../src/adapters/postgres/host/HostPool.ts"
import { live } from "../support/Steps.ts"

/** A pool whose sessions never answer but to be cancelled, and that hears only the given cancellation. */
const deafPool = (heard: number) => {
  const state = { cancellations: 0, released: [] as Array<unknown>, asked: 0 }
  let fail: (error: Error) => void = () => {}
  const query = (text: string) =>
    new Promise<{ rows: ReadonlyArray<object>; command: string }>((resolve, reject) => {
      if (!text.includes("pg_cancel_backend")) {
        state.asked += 1
        fail = reject
        return
      }
      state.cancellations += 1
      if (state.cancellations >= heard) fail(new Error("canceling statement due to user request"))
      resolve({ rows: [], command: "SELECT" })
    })
  const connect = async (): Promise<HostPool.HostPoolClient> =>
    Object.assign(new EventEmitter(), {
      processID: 1,
      query: ({ text }: { readonly text: string }) => query(text),
      release: (error?: Error | boolean) => void state.released.push(error)
    })
  return { pool: { connect }, state }
}

describe("a statement of a host's pool", () => {
  for (const heard of [1, 3]) {
    live(
      `whose waiter goes away is cancelled until it ends: the cancellation that is heard is number ${heard}`,
      function* () {
        const { pool, state } = deafPool(heard)
        const asking = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(
          Effect.provide(HostPool.layer(pool)),
          Effect.forkChild
        )
        while (state.asked === 0) yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(asking)
        assert.strictEqual(state.cancellations, heard)
        // Nobody gets the session again.
        assert.isTrue(state.released.some((error) => error instanceof Error))
      }
    )
  }
})
