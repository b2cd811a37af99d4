import { createHmac } from "node:crypto"
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Console, DateTime, Effect, Option, Schema } from "effect"
import fc from "fast-check"
import { CommandFailed, toStatus } from "../../src/adapters/cli/CommandFailed.ts"
import * as Demo from "../../src/adapters/cli/Demo.ts"
import { render } from "../../src/adapters/cli/Render.ts"
import { settingsTable } from "../../src/adapters/cli/Settings.ts"
import { Authentication } from "../../src/app/access/Authentication.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Donations } from "../../src/app/giving/Donations.ts"
import { EventHandlers } from "../../src/app/outbox/EventHandlers.ts"
import { WebhookDeliveries } from "../../src/app/outbox/WebhookDeliveries.ts"
import { eventCore } from "../../src/domain/giving/Donor.ts"
import { ChargeId } from "../../src/domain/kernel/Ids.ts"
import * as Event from "../../src/domain/outbox/Event.ts"
import { CheckoutLinkStore, DonationStore, DonorStore, OrganisationStore, Outbox } from "../../src/ports.ts"
import { character } from "../../src/testing/Characters.ts"
import { checkoutLinkOf } from "../../src/testing/conformance/DonationForms.ts"
import { donationOf, donorOf, freshId } from "../../src/testing/conformance/Records.ts"
import { folder } from "../support/Folder.ts"
import { forEvery } from "../support/Property.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { Arrivals, almoner, json, StandardInput, world } from "./CommandWorld.ts"

const place = ["--timezone", "Europe/Paris", "--default-currency", "EUR"]

const organisation = (slug: string) => json("organisation", "create", "--slug", slug, "--name", "A B", ...place)

const authenticate = (bearer: string) => Authentication.use((keys) => keys.authenticate(bearer))

withLayer(world)("organisations", ({ effect }) => {
  effect("are made with a sandbox twin, and are listed", function* () {
    const made = yield* organisation("made")
    assert.deepInclude(made.live, { slug: "made", name: "A B", is_sandbox: false, plan: "FREE" })
    assert.deepInclude(made.sandbox, { slug: "made-sandbox", is_sandbox: true, webhook_allowed_cidrs: [] })
    const { data } = yield* json("organisation", "list")
    assert.deepInclude(data, made.live)
    assert.deepInclude(data, made.sandbox)
    const { stdout } = yield* almoner("organisation", "list")
    assert.match(stdout, /^SLUG +NAME +PLAN/)
    assert.match(stdout, /^made-sandbox +A B +FREE +true/m)
  })

  for (const named of ["live", "sandbox"] as const) {
    effect(`get another plan and another name with their twin, told by the ${named} one's slug`, function* () {
      const made = yield* organisation(`${named}-twins`)
      const alone = yield* organisation(`${named}-alone`)
      const at = ["--organisation", made[named].slug]
      const planned = yield* json("organisation", "set-plan", "RAISE", ...at)
      assert.deepInclude(planned, { id: made[named].id, plan: "RAISE", name: "A B" })
      const renamed = yield* json("organisation", "rename", "--name", " Cyan House ", ...at)
      assert.deepInclude(renamed, { id: made[named].id, plan: "RAISE", name: "Cyan House", slug: made[named].slug })
      const { data } = yield* json("organisation", "list")
      for (const before of [made.live, made.sandbox]) {
        const { updated_at: _, ...after } = data.find(({ id }: { id: string }) => id === before.id)
        const { updated_at: __, ...rest } = before
        assert.deepStrictEqual(after, { ...rest, plan: "RAISE", name: "Cyan House" })
        const entries = (yield* json("audit", "list", "--organisation", before.slug)).data
        const common = { actor_type: "SYSTEM", actor_id: "command line", subject_id: before.id }
        assert.deepInclude(entries[0], { operation: "organisations.rename", ...common })
        assert.deepInclude(entries[1], { operation: "organisations.set_plan", ...common })
      }
      for (const other of [alone.live, alone.sandbox]) assert.deepInclude(data, other)
    })
  }

  effect("have a currency in which gifts are taken, with hundredths or the yen", function* () {
    for (const [currency, isMade] of [
      ["KWD", false],
      ["KRW", false],
      ["JPY", true]
    ] as const) {
      const slug = `in-${currency.toLowerCase()}`
      const made = yield* almoner(
        ...["organisation", "create", "--slug", slug, "--name", "X", "--timezone", "UTC"],
        ...["--default-currency", currency]
      )
      if (isMade) assert.isNull(made.failure)
      else assert.include(made.failure ?? "", `no gifts are taken in ${currency}`)
      const { data } = yield* json("organisation", "list")
      const slugs = data.map((each: { readonly slug: string }) => each.slug)
      assert.strictEqual(slugs.includes(slug), isMade)
    }
  })

  effect("cannot share a slug, their sandbox's included", function* () {
    yield* organisation("taken")
    const again = yield* almoner("organisation", "create", "--slug", "taken", "--name", "X", ...place)
    assert.match(
      again.failure ?? "",
      /^This slug is taken by another organisation: org_\w+\. Use that one, or give another slug\.$/
    )
  })
})

withLayer(world)("what is set aside", ({ effect }) => {
  effect("is listed with the reason and where it is, and put back in one go", function* () {
    assert.strictEqual((yield* almoner("delivery", "set-aside")).stdout, "There are none.")
    const row = { organisation_id: "org_of_somebody", id: "dlv_damaged", reason: "its record: attempt_count" }
    const known = yield* WebhookDeliveries
    const damaged = { ...known, setAside: Effect.succeed([row]), putBack: Effect.succeed(1) }
    yield* Effect.gen(function* () {
      const { stdout } = yield* almoner("delivery", "set-aside")
      for (const text of Object.values(row)) assert.include(stdout, text)
      assert.deepStrictEqual(yield* json("delivery", "set-aside"), { data: [row], has_more: false })
      assert.deepStrictEqual(yield* json("delivery", "put-back"), { put_back: 1 })
    }).pipe(Effect.provideService(WebhookDeliveries, damaged))
  })
})

withLayer(world)("sweep", ({ effect }) => {
  effect("does what is due, and prints how much that was", function* () {
    const { live } = yield* organisation("swept")
    const store = yield* CheckoutLinkStore
    const link = yield* checkoutLinkOf(live.id, { expires_at: DateTime.makeUnsafe(0) })
    yield* store.insert(link)
    const { stdout } = yield* almoner("sweep")
    assert.match(stdout, /^checkout_links_expired +1$/m)
    const swept = yield* json("sweep")
    assert.deepStrictEqual(new Set(Object.values(swept)), new Set([0]))
    assert.lengthOf(stdout.split("\n"), Object.keys(swept).length)
    const [entry] = (yield* json("audit", "list", "--organisation", "swept")).data
    assert.deepInclude(entry, { actor_type: "SYSTEM", actor_id: "sweeper", subject_id: link.id })
  })
})

withLayer(world)("refunds", ({ effect }) => {
  /** A gift of 5,000 cents through a processor, of which these amounts are to go back. */
  const waiting = Effect.fnUntraced(function* (slug: string, amounts: ReadonlyArray<number>) {
    const { live } = yield* organisation(slug)
    const own = Option.getOrThrow(yield* OrganisationStore.use((store) => store.find(live.id)))
    const donor = yield* donorOf(own.id)
    yield* DonorStore.use((store) => store.insert(donor))
    const gift = yield* donationOf(donor, { charge_id: ChargeId.make("chg_01jh00000000000000000000zz") })
    yield* DonationStore.use((store) => store.insert(gift))
    return yield* Effect.forEach(amounts, (amount_cents) =>
      Effect.map(
        Donations.use((donations) => donations.refund(gift.id, { amount_cents })).pipe(asOperator(own)),
        ({ refund }) => refund.id
      )
    )
  })

  effect("that wait are listed, settled and failed", function* () {
    const [settled = "", failed = ""] = yield* waiting("refunding", [300, 200])
    const at = ["--organisation", "refunding"]
    const idsOf = Effect.fnUntraced(function* (status: string) {
      const { data } = yield* json("refund", "list", "--status", status, ...at)
      return data.map(({ id }: { id: string }) => id)
    })
    assert.sameMembers(yield* idsOf("PENDING"), [settled, failed])
    const told = yield* json("refund", "settle", settled, "--processor-reference", "re_1", ...at)
    assert.deepInclude(told, { id: settled, status: "SUCCEEDED", processor_reference: "re_1" })
    assert.deepInclude(yield* json("refund", "fail", failed, ...at), { id: failed, status: "FAILED" })
    assert.deepStrictEqual(
      [yield* idsOf("PENDING"), yield* idsOf("SUCCEEDED"), yield* idsOf("FAILED")],
      [[], [settled], [failed]]
    )
    const again = yield* almoner("refund", "settle", failed, ...at)
    assert.deepInclude(again, { status: 1, stdout: "" })
    assert.match(again.stderr, /FAILED.*refund the donation anew/)
  })
})

withLayer(world)("consumers", ({ effect }) => {
  effect(
    "are listed, shown with what they failed to handle, and told to try anew, to skip and to be forgotten",
    function* () {
      const handlers = yield* EventHandlers
      const { sandbox } = yield* organisation("consumed")
      const consuming = yield* handlers.register({ name: "ledger", from: "beginning" })
      const donor = yield* donorOf(sandbox.id)
      const [one, other] = [yield* freshId("event"), yield* freshId("event")]
      for (const id of [one, other]) {
        const data = eventCore(donor)
        const occurred_at = yield* DateTime.now
        yield* (yield* Outbox).append([
          Event.make({ id, organisation_id: sandbox.id, type: "donor.created", occurred_at, dedupe_key: id, data })
        ])
      }
      yield* handlers.due(consuming, () => Effect.fail(new Error("no such account")))

      const { data } = yield* json("consumer", "list")
      assert.deepInclude(data[0], { name: "ledger", behind: 0, waiting: 2, parked: 0, event_types: null })
      const { stdout } = yield* almoner("consumer", "list")
      assert.match(stdout, /^NAME +BEHIND +WAITING +PARKED/)
      const { events } = yield* json("consumer", "show", "ledger")
      assert.lengthOf(events, 1)
      assert.deepInclude(events[0], { event_id: one, attempt_count: 1, error: "no such account", status: "PENDING" })

      const anew = yield* json("consumer", "retry", "ledger", one)
      assert.deepInclude(anew, { event_id: one, attempt_count: 0, status: "PENDING" })
      assert.deepInclude(yield* json("consumer", "skip", "ledger", one), { event_id: one, status: "SKIPPED" })
      const handled: Array<string> = []
      yield* handlers.due(consuming, ({ id }) => Effect.sync(() => handled.push(id)))
      assert.deepStrictEqual(handled, [other])
      for (const [command, args] of [
        ["retry", ["ledger", one]],
        ["skip", ["ledger", "evt_none"]],
        ["show", ["none"]]
      ] as const) {
        assert.strictEqual((yield* almoner("consumer", command, ...args)).status, 1, command)
      }
      assert.deepStrictEqual(yield* json("consumer", "delete", "ledger"), { name: "ledger" })
      assert.deepStrictEqual((yield* json("consumer", "list")).data, [])
    }
  )
})

withLayer(world)("keys", ({ effect }) => {
  effect("are shown once, work, and stop when they are rotated and revoked", function* () {
    yield* organisation("keys")
    const key = yield* json("key", "create", "--organisation", "keys", "--name", "CRM", "--scope", "READ")
    assert.strictEqual((yield* authenticate(key.secret))?.key.scope, "READ")

    const rotated = yield* json("key", "rotate", key.id, "--organisation", "keys")
    assert.deepInclude(rotated, { id: key.id, generation: 2 })
    assert.isUndefined(yield* authenticate(key.secret))
    assert.strictEqual((yield* authenticate(rotated.secret))?.key.generation, 2)

    const revoked = yield* json("key", "revoke", key.id, "--organisation", "keys")
    assert.isString(revoked.revoked_at)
    assert.isUndefined(yield* authenticate(rotated.secret))

    for (const args of [
      ["key", "list"],
      ["audit", "list"]
    ]) {
      const { stdout } = yield* almoner("--json", ...args, "--organisation", "keys")
      for (const text of [key.secret, rotated.secret, "secret_hash"]) assert.notInclude(stdout, text)
    }
  })

  effect("of another organisation are not found", function* () {
    yield* organisation("mine")
    yield* organisation("theirs")
    const key = yield* json("key", "create", "--organisation", "theirs", "--name", "K", "--scope", "READ")
    const { failure } = yield* almoner("key", "rotate", key.id, "--organisation", "mine")
    assert.strictEqual(failure, `There is no API key ${key.id}.`)
  })
})

withLayer(world)("users", ({ effect }) => {
  effect("are members of an organisation until they are removed from it", function* () {
    yield* organisation("first")
    yield* organisation("second")
    const user = yield* json("user", "create", "--email", "bea@example.org", "--name", "Bea")
    const [first, second] = [["--organisation", "first"] as const, ["--organisation", "second"] as const]
    for (const at of [first, second]) {
      yield* json("user", "add-to-organisation", "--user", user.id, "--role", "ADMIN", ...at)
    }
    const stranger = yield* json("user", "create", "--email", "cai@example.org", "--name", "Cai")
    const ended = yield* json("user", "remove-from-organisation", "--user", "BEA@example.org", ...first)
    assert.deepInclude(ended, { user_id: user.id, role: "ADMIN" })
    const [entry] = (yield* json("audit", "list", ...first)).data
    assert.deepInclude(entry, { operation: "users.remove_from_organisation", subject_id: user.id })
    const { data } = yield* json("user", "list")
    const listed = data.find(({ id }: { id: string }) => id === user.id)
    assert.lengthOf(listed.organisations, 1)
    assert.notInclude(listed.organisations[0], ended.organisation_id)
    for (const who of ["bea@example.org", stranger.id]) {
      const { status, stderr } = yield* almoner("user", "remove-from-organisation", "--user", who, ...first)
      assert.deepStrictEqual([status, stderr], [1, `There is no member ${who}.`])
    }
    assert.deepInclude(yield* almoner("user", "remove-from-organisation", "--user", "nobody@example.org", ...first), {
      status: 1
    })
  })
})

withLayer(world)("endpoints", ({ effect }) => {
  effect("are made, changed, rotated and deleted", function* () {
    yield* organisation("hooks")
    const at = ["--organisation", "hooks"]
    const types = ["--event-types", "donation.created, donor.created"]
    const made = yield* json("endpoint", "create", "--url", "https://a.example/in", ...types, ...at)
    assert.match(made.secret, /^almwh_\w{40}$/)
    const { secret: _, ...shown } = made
    assert.deepStrictEqual(yield* json("endpoint", "show", made.id, ...at), shown)
    assert.deepStrictEqual(shown.event_types, ["donation.created", "donor.created"])

    const off = yield* json("endpoint", "update", made.id, "--active", "off", "--description", "Old", ...at)
    assert.deepInclude(off, { is_active: false, disabled_reason: "disabled_by_owner", description: "Old" })
    const cleared = yield* json("endpoint", "update", made.id, "--description", "", "--active", "on", ...at)
    assert.deepInclude(cleared, { is_active: true, description: null, url: made.url })

    const rotated = yield* json("endpoint", "rotate-secret", made.id, "--overlap-hours", "0", ...at)
    assert.notStrictEqual(rotated.secret, made.secret)

    assert.strictEqual((yield* json("endpoint", "list", ...at)).data.length, 1)
    yield* json("endpoint", "delete", made.id, ...at)
    assert.deepStrictEqual(yield* json("endpoint", "list", ...at), { data: [], has_more: false })
    const { failure } = yield* almoner("endpoint", "show", made.id, ...at)
    assert.strictEqual(failure, `There is no webhook endpoint ${made.id}.`)
  })

  effect("are tried with a signed message that is audited and otherwise kept nowhere", function* () {
    yield* organisation("tried")
    const at = ["--organisation", "tried"]
    const types = ["--event-types", "donor.created"]
    const arrivals = yield* Arrivals
    for (const [path, received] of [
      ["in", true],
      ["in/503", false]
    ] as const) {
      const made = yield* json("endpoint", "create", "--url", `https://t.example/${path}`, ...types, ...at)
      const before = yield* json("endpoint", "show", made.id, ...at)
      const tested = yield* json("endpoint", "test", made.id, ...at)
      const sent = arrivals.at(-1) ?? assert.fail("Nothing was sent.")
      const status = received ? 204 : 503
      assert.deepInclude(tested, { endpoint_id: made.id, received, response_status: status, error: null })
      assert.deepInclude(tested, { response_excerpt: "ok", duration_ms: 7, webhook_id: sent.headers["webhook-id"] })
      const signed = `${sent.headers["webhook-id"]}.${sent.headers["webhook-timestamp"]}.${sent.body}`
      const mac = createHmac("sha256", made.secret).update(signed).digest("base64")
      assert.strictEqual(sent.headers["webhook-signature"], `v1,${mac}`)
      const { data, occurred_at, ...rest } = JSON.parse(sent.body)
      assert.deepStrictEqual(data, { webhook_endpoint_id: made.id })
      assert.strictEqual(occurred_at, tested.sent_at)
      assert.deepInclude(rest, { type: "webhook_endpoint.test" })
      assert.deepStrictEqual(yield* json("endpoint", "show", made.id, ...at), before)
      const [entry] = (yield* json("audit", "list", ...at)).data
      assert.deepInclude(entry, { operation: "webhook_endpoints.test", subject_id: made.id })
      // One that is switched off is tried, too, and one that is deleted is not there.
      yield* json("endpoint", "update", made.id, "--active", "off", ...at)
      assert.deepInclude(yield* json("endpoint", "test", made.id, ...at), { received })
      yield* json("endpoint", "delete", made.id, ...at)
      const gone = yield* almoner("endpoint", "test", made.id, ...at)
      assert.deepInclude(gone, { status: 1, stderr: `There is no webhook endpoint ${made.id}.` })
    }
    assert.lengthOf(arrivals, 4)
    assert.lengthOf(new Set(arrivals.map(({ headers }) => headers["webhook-id"])), 4)
    assert.deepStrictEqual(yield* json("delivery", "list", ...at), { data: [], has_more: false })
  })

  effect("are listed page by page", function* () {
    yield* organisation("pages")
    const at = ["--organisation", "pages"]
    for (const path of ["a", "b", "c"]) {
      yield* json("endpoint", "create", "--url", `https://x.example/${path}`, "--event-types", "donor.created", ...at)
    }
    const first = yield* json("endpoint", "list", "--limit", "2", ...at)
    const rest = yield* json("endpoint", "list", "--starting-after", first.data[1].id, ...at)
    assert.deepStrictEqual([first.data.length, first.has_more, rest.data.length, rest.has_more], [2, true, 1, false])
    const { stdout } = yield* almoner("endpoint", "list", "--limit", "2", ...at)
    assert.include(stdout, `--starting-after ${first.data[1].id}`)
  })
})

withLayer(world)("the command", ({ effect }) => {
  effect("takes --json before, between and after its words", function* () {
    yield* organisation("order")
    const words = ["key", "list", "--organisation", "order"]
    const runs = yield* Effect.forEach([0, 1, 2, 4], (position) =>
      almoner(...words.slice(0, position), "--json", ...words.slice(position))
    )
    for (const ran of runs) assert.deepStrictEqual(JSON.parse(ran.stdout), { data: [] })
  })

  effect("refuses what it cannot do with status 1, in one sentence or as one object like the API's", function* () {
    yield* organisation("known")
    const at = ["--organisation", "known"]
    const create = ["organisation", "create", "--name", "X", "--default-currency", "AUD", "--timezone"]
    const invocations = [
      [["key", "list", "--organisation", "nobody"], "not_found"],
      [["key", "create", "--name", " ", "--scope", "READ", ...at], "validation_failed", "name"],
      [["key", "rotate", "key_1", ...at], "not_found"],
      [
        ["endpoint", "create", "--url", "https://a.example", "--event-types", "donor.created,gift", ...at],
        "validation_failed",
        "event_types[1]"
      ],
      [
        ["endpoint", "create", "--url", "https://127.0.0.1/", "--event-types", "donor.created", ...at],
        "validation_failed",
        "url"
      ],
      [["delivery", "list", "--limit", "101", ...at], "validation_failed", "limit"],
      [["delivery", "list", "--limit", "many", ...at], "invalid_request"],
      [["delivery", "show", "dlv_00000000000000000000000000", ...at], "not_found"],
      [["audit", "list", "--limit", "0", ...at], "validation_failed", "limit"],
      [[...create, "UTC", "--slug", "UPPER"], "validation_failed", "slug"],
      [[...create, "UTC", "--slug", "x-sandbox"], "validation_failed", "slug"],
      [[...create, "UTC", "--slug", "x".repeat(60)], "validation_failed", "slug"],
      [[...create, "UTC", "--slug", "known"], "conflict"],
      [[...create, "Nowhere", "--slug", "x"], "validation_failed", "timezone"]
    ] as const
    for (const [args, code, param] of invocations) {
      const people = yield* almoner(...args)
      assert.match(people.stderr, /^[^\n]+\.$/, args.join(" "))
      assert.deepInclude(people, { status: 1, stdout: "" })
      const program = yield* almoner("--json", ...args)
      assert.deepInclude(program, { status: 1, stdout: "" })
      const error = { code, message: people.stderr, ...(param === undefined ? {} : { param }) }
      assert.deepStrictEqual(JSON.parse(program.stderr), { error }, args.join(" "))
    }
  })

  effect("answers a wrong invocation with status 2, on standard error only", function* () {
    const invocations = [
      ["keyz"],
      ["key", "create"],
      ["key", "list", "--nope"],
      ["organisation", "set-plan", "GOLD"],
      ["audit", "list", "--limit", "many"]
    ]
    for (const args of invocations) {
      const people = yield* almoner(...args)
      assert.isNotNull(people.failure)
      assert.match(people.stderr, /^[^\n]+ See: almoner[\w -]* --help$/)
      assert.deepInclude(people, { status: 2, stdout: "" })
      const program = yield* almoner(...args, "--json")
      assert.deepInclude(program, { status: 2, stdout: "" })
      assert.deepStrictEqual(JSON.parse(program.stderr), { error: { code: "usage", message: people.stderr } })
    }
    const unnamed = yield* almoner("key", "list", "--json")
    assert.deepInclude(unnamed, { status: 2, stdout: "" })
    assert.deepInclude(JSON.parse(unnamed.stderr).error, { code: "usage" })
    const alone = yield* almoner("key", "--json")
    assert.deepInclude(alone, { status: 2, stdout: "" })
    assert.deepInclude(JSON.parse(alone.stderr).error, { code: "usage" })
    assert.deepInclude(yield* almoner("key"), { status: 2, stderr: "" })
  })

  effect("says with status 3 what could not be done, whatever came about", function* () {
    const ended = (failure: Effect.Effect<never, CommandFailed>, args: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const capture = Object.assign(Object.create(console), { error: (line: unknown) => lines.push(line) })
        const status = yield* Effect.provideService(toStatus(failure, args), Console.Console, capture)
        return { status, lines }
      })
    const away = new CommandFailed({ message: "The database is away." })
    const error = { code: "unavailable", message: away.message }
    assert.deepStrictEqual(yield* ended(away, []), { status: 3, lines: [away.message] })
    assert.deepStrictEqual(yield* ended(away, ["x", "--json"]), { status: 3, lines: [JSON.stringify({ error })] })
    const broken = yield* ended(Effect.die(new Error("of its own")), ["--json"])
    assert.strictEqual(broken.status, 3)
    assert.deepInclude(JSON.parse(String(broken.lines[0])).error, { code: "internal_error" })
  })

  effect("shows defaults in its help, and with serve every variable", function* () {
    assert.match((yield* almoner("audit", "list", "--help")).stdout, /--limit .* \(default: 100\)/)
    assert.match((yield* almoner("organisation", "create", "--help")).stdout, /--plan .* \(default: FREE\)/)
    assert.match((yield* almoner("delivery", "list", "--help")).stdout, /--limit .* \(default: 10\)/)
    const { stdout } = yield* almoner("serve", "--help")
    for (const [, name = ""] of settingsTable().matchAll(/^\| `(\w+)` \|/gm)) {
      assert.match(stdout, new RegExp(`^  ${name} +[A-Z\\w].*$`, "m"))
    }
    assert.match(stdout, /^ {2}PORT .*\(default: 8080\)$/m)
    assert.notMatch(stdout, /`|\]\(/)
  })

  effect("helps and tells its version", function* () {
    assert.include((yield* almoner("key", "create", "--help")).stdout, "--scope")
    assert.include((yield* almoner("--version")).stdout, "1.2.3")
    assert.deepStrictEqual(yield* json("migrate"), { migrations: ["organisations"] })
  })
})

describe("tables", () => {
  layer(world)((it) => {
    it("hold no character that commands a terminal", () =>
      forEvery(fc.string({ unit: character }), (text) => {
        for (const shown of [render({ text }), render({ data: [{ text }] }), render({ a: { text: [text] } })]) {
          assert.notMatch(shown.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202e]/u)
        }
        assert.strictEqual(render({ data: [{ text }] }).split("\n").length, 2)
      }))

    it("have a line for each part of a record, such as a balance of the books", () => {
      const books = { organisation_id: "org_1", balances: { donor: "-5000", organisation: "5000" }, faults: [] }
      assert.deepStrictEqual(render({ data: [books] }).split("\n"), [
        "ORGANISATION ID  BALANCES           FAULTS",
        "org_1            donor -5000        -",
        "                 organisation 5000"
      ])
    })

    it("name of a record's parts the first two, and how many more there are", () => {
      const cellOf = (...names: ReadonlyArray<string>) =>
        render({ data: [{ parts: names.map((name) => ({ name })) }] }, ["parts.name"]).split("\n")
      assert.deepStrictEqual(cellOf(), ["PARTS", "-"])
      assert.deepStrictEqual(cellOf("Ann", "Bo"), ["PARTS", "Ann, Bo"])
      assert.deepStrictEqual(cellOf("Ann", "Bo", "Cy", "Di"), ["PARTS", "Ann, Bo, 2 more"])
    })
  })
})

const demoIn = (data_dir: string) =>
  Effect.promise(() => readFile(join(data_dir, "demo.json"), "utf8")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(Demo.DemoFile)))
  )

describe("the demo", () => {
  withLayer(world)("on an empty database", ({ effect }) => {
    effect("is made once, with keys that work, in a file for its owner only", function* () {
      const data_dir = join(yield* folder, "inner")
      const made = yield* Demo.ensure(data_dir, "http://localhost:1")
      const demo = yield* demoIn(data_dir)
      assert.deepStrictEqual(made, Option.some(demo))
      const { mode } = yield* Effect.promise(() => stat(join(data_dir, "demo.json")))
      assert.strictEqual(mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(data_dir)), ["demo.json"])
      for (const part of [demo.live, demo.sandbox]) {
        for (const [key, scope] of [
          [part.write_key, "WRITE"],
          [part.read_key, "READ"]
        ] as const) {
          const found = yield* authenticate(key)
          assert.strictEqual(found?.organisation.id, part.organisation_id)
          assert.deepInclude(found?.organisation, { slug: part.slug, plan: "ENTERPRISE" })
          assert.deepInclude(found?.organisation, { timezone: "Australia/Sydney", default_currency: "AUD" })
          assert.strictEqual(found?.key.scope, scope)
        }
      }
      assert.deepStrictEqual([demo.live.slug, demo.sandbox.slug], ["demo", "demo-sandbox"])
      const sandbox = yield* Organisations.use((organisations) => organisations.findBySlug("demo-sandbox"))
      assert.deepStrictEqual(sandbox.webhook_allowed_cidrs, ["127.0.0.0/8", "::1/128"])

      const who = ["--email", "ada@example.org"]
      const at = ["--organisation", "demo-sandbox", "--method", "card", "--payment-token-file", "-"]
      const { checkout_link, form, recommendation_set } = demo.pages ?? assert.fail("There are no pages.")
      assert.include(Demo.firstGift("/there/demo.json", "http://localhost:1"), "--form spring-appeal ")
      assert.match(form.url, /\bspring-appeal$/)
      const targets = [
        ["--form", "spring-appeal", "--amount-cents", "5000", ...who],
        ["--link", checkout_link.id],
        ["--set", recommendation_set.id, ...who]
      ]
      for (const target of targets) {
        const given = yield* json("checkout", "submit", ...target, ...at).pipe(
          Effect.provideService(StandardInput, "4242 4242 4242 4242")
        )
        assert.deepInclude(given, { status: "SUCCEEDED", amount_cents: 5_000 })
      }

      const moved = yield* Demo.ensure(data_dir, "http://localhost:2")
      assert.deepStrictEqual(moved, Option.some({ ...demo, base_url: "http://localhost:2" }))
      assert.deepStrictEqual(yield* demoIn(data_dir), { ...demo, base_url: "http://localhost:2" })

      // As a start leaves it that is killed between its commit and the file's name.
      yield* Effect.promise(() => rename(join(data_dir, "demo.json"), join(data_dir, "demo.json.new")))
      assert.deepStrictEqual(yield* Demo.ensure(data_dir, "http://localhost:2"), moved)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(data_dir)), ["demo.json"])
    })
  })

  withLayer(world)("when the file cannot be written", ({ effect }) => {
    effect("is not made, so that the next start makes it", function* () {
      const data_dir = yield* folder
      const kept = join(data_dir, "demo.json")
      yield* Effect.promise(() => writeFile(kept, "of another"))
      const refused = yield* Effect.flip(Demo.ensure(data_dir, "http://localhost:1"))
      assert.match(refused.message, /^\S+ has the keys of another database's demo, [^\n]+ without a demo\.$/)
      assert.strictEqual(yield* Effect.promise(() => readFile(kept, "utf8")), "of another")
      yield* Effect.promise(() => rm(kept))

      const failure = yield* Effect.flip(Demo.ensure("/dev/null/x", "http://localhost:1"))
      assert.match(
        failure.message,
        /^The demo's keys cannot be written to \S+ \(ENOTDIR\)\. Set DEMO=off to start without a demo\.$/
      )
      assert.deepStrictEqual(yield* Organisations.use((organisations) => organisations.listOfInstallation), [])
      assert.isTrue(Option.isSome(yield* Demo.ensure(data_dir, "http://localhost:1")))
    })
  })

  withLayer(world)("on a database of others", ({ effect }) => {
    effect("is not made, and a file of another database is left alone", function* () {
      yield* organisation("others")
      const data_dir = yield* folder
      assert.isTrue(Option.isNone(yield* Demo.ensure(data_dir, "http://localhost:1")))
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(data_dir)), [])
    })
  })
})
