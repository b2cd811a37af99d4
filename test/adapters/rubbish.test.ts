import { createServer } from "node:net"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { PGlite } from "@electric-sql/pglite"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as Smtp from "../../src/adapters/mail/Smtp.ts"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { client } from "../../src/adapters/postgres/embedded/EmbeddedClient.ts"
import { openMemory } from "../../src/adapters/postgres/embedded/EmbeddedTemplate.ts"
import { Customer } from "../../src/adapters/processors/stripe/Objects.ts"
import { makeStripeApi } from "../../src/adapters/processors/stripe/StripeApi.ts"
import * as Transport from "../../src/adapters/webhooks/Transport.ts"
import { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { MailTransport, WebhookTransport } from "../../src/ports.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { listenAs } from "./Receivers.ts"

/** A server that says one thing after a greeting, whatever it is asked, and closes. */
const saying = (greeting: string, said: Uint8Array) =>
  listenAs(
    createServer((socket) => {
      let isAsked = false
      socket.write(greeting)
      socket.on("data", () => {
        if (isAsked) return
        isAsked = true
        socket.end(said)
      })
    })
  )

interface Library {
  /** What a server of its protocol says first. */
  readonly greeting: string
  /** Beginnings of what it may say then, after which anything comes. */
  readonly beginnings: ReadonlyArray<string>
  /** Asks a server at this port; a failure has to be one of the adapter's own. */
  readonly ask: (port: number) => Effect.Effect<unknown, unknown>
}

const libraries: Readonly<Record<string, Library>> = {
  stripe: {
    greeting: "",
    beginnings: [
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n",
      "HTTP/1.1 402 No\r\ncontent-type: application/json\r\n\r\n{"
    ],
    ask: (port) =>
      makeStripeApi({ secretKey: Redacted.make("sk_test_1") }, { baseUrl: `http://127.0.0.1:${port}` }).call(
        Customer,
        ({ customers }) => customers.create({})
      )
  },
  undici: {
    greeting: "",
    beginnings: [
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfff"
    ],
    ask: (port) =>
      Layer.build(Transport.layerWith({ timeoutMillis: 2_000 })).pipe(
        Effect.flatMap((built) =>
          Context.get(built, WebhookTransport).post({
            organisation_id: OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d"),
            url: `http://127.0.0.1:${port}/`,
            headers: {},
            body: "{}",
            rules: { require_https: false, allowed_cidrs: ["127.0.0.0/8"] },
            begun_millis: Number(process.hrtime.bigint()) / 1_000_000
          })
        ),
        Effect.scoped
      )
  },
  nodemailer: {
    greeting: "220 mail.test ESMTP\r\n",
    beginnings: ["250-mail.test\r\n250 ", "250 8BITMIME\r\n", "999 ", "250-"],
    ask: (port) =>
      MailTransport.use((transport) =>
        transport.send({
          id: "mail_1",
          language: "en-AU",
          to: "bea@example.net",
          subject: "Hello",
          text: "Hello",
          parts: ["Hello"]
        })
      ).pipe(Effect.provide(Smtp.layer({ url: Redacted.make(`smtp://127.0.0.1:${port}`), from: "a@example.org" })))
  },
  pg: {
    greeting: "",
    beginnings: [
      "R\0\0\0\x08\0\0\0\0",
      "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I",
      "E\0\0\0\x05\0",
      "T\0\0\0\x06\xff\xff",
      "D\0\0\0\0",
      "R\xff\xff\xff\xff",
      "S\x7f\xff\xff\xff"
    ],
    ask: (port) =>
      SqlClient.SqlClient.use((sql) => sql`SELECT 1`).pipe(
        Effect.provide(
          Client.layerServer({ url: Redacted.make(`postgres://almoner@127.0.0.1:${port}/almoner`), max_connections: 2 })
        )
      )
  }
}

/** How the database inside the process goes wrong while it is asked, in place of answering. */
const disturbances: Readonly<Record<string, PGlite["execProtocolRawStream"]>> = {
  "throws at once": () => {
    throw new Error("late")
  },
  "fails later": () => setTimeout(1).then(() => Promise.reject(new Error("late"))),
  "answers with rubbish": async (_, options) => options?.onRawData?.(Buffer.from("E\0\0\0\x05\0T\xff", "latin1")),
  "fails after a part of its answer": async (_, options) => {
    options?.onRawData?.(Buffer.from("C\0\0", "latin1"))
    await setTimeout(1)
    throw new Error("late")
  }
}

// What a library throws where nobody waits for it fails the run: the runner listens for that.
describe("a server that says rubbish", () => {
  it.each(Object.entries(libraries))(
    "fails what it was asked through %s, and nothing is thrown aside or waited for",
    async (_, { ask, beginnings, greeting }) => {
      const rest = fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(..."\0 \n {} 5 null \r\n".split(" ")).map((text) => Buffer.from(text))
      )
      await forEveryAsyncWith({ numRuns: 25 }, fc.constantFrom("", ...beginnings), rest, async (beginning, bytes) => {
        const said = Buffer.concat([Buffer.from(beginning, "latin1"), bytes])
        const asked = Effect.flatMap(saying(greeting, said), ({ port }) => ask(port))
        const exit = await Effect.runPromise(Effect.exit(Effect.timeout(Effect.scoped(asked), "15 seconds")))
        if (Exit.isSuccess(exit)) return
        const defects = exit.cause.reasons.filter((reason) => reason._tag !== "Fail")
        assert.deepStrictEqual(defects, [], said.toString("latin1"))
        assert.notInclude(String(exit.cause), "TimeoutError", said.toString("latin1"))
      })
    },
    120_000
  )

  it("fails what it was asked in the database inside the process, and no statement after it", () =>
    Effect.gen(function* () {
      const database = yield* Effect.promise(openMemory)
      const whole = database.execProtocolRawStream.bind(database)
      const sql = yield* client(() => Promise.resolve(database))
      for (const [how, disturbed] of Object.entries(disturbances)) {
        const before = yield* sql`SELECT 1 AS n`
        assert.deepStrictEqual(before, [{ n: 1 }], how)
        database.execProtocolRawStream = disturbed
        const exit = yield* Effect.exit(Effect.timeout(sql`SELECT 2 AS n`, "15 seconds"))
        database.execProtocolRawStream = whole
        assert.isTrue(Exit.isFailure(exit), how)
        assert.match(String(exit), /SqlError/, how)
        assert.deepStrictEqual(yield* sql.withTransaction(sql`SELECT 3 AS n`), [{ n: 3 }], how)
      }
    }).pipe(Effect.provide(Reactivity.layer), Effect.scoped, Effect.runPromise))
})
