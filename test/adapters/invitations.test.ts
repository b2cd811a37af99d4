import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it as check } from "@effect/vitest"
import { Duration, Effect, FileSystem } from "effect"
import { operations } from "../../src/adapters/cli/Operations.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Introductions } from "../../src/app/sharing/Introductions.ts"
import { MailOutbox } from "../../src/ports/kernel/MailOutbox.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { almoner, json, world } from "./CommandWorld.ts"

const organisation = Effect.fnUntraced(function* (slug: string, plan: string) {
  const where = ["--timezone", "UTC", "--default-currency", "AUD", "--plan", plan]
  yield* json("organisation", "create", "--slug", slug, "--name", slug, ...where)
  return yield* Effect.orDie(Organisations.use((organisations) => organisations.findBySlug(slug)))
})

const invite = Effect.fnUntraced(function* (slug: string) {
  const inviter = yield* organisation(slug, "RAISE")
  const introductions = yield* Introductions
  return yield* Effect.orDie(introductions.send({ invitee_email: "bea@example.org" }).pipe(asOperator(inviter)))
})

const again = Effect.fnUntraced(function* (slug: string) {
  const inviter = yield* Effect.orDie(Organisations.use((organisations) => organisations.findBySlug(slug)))
  const introductions = yield* Introductions
  yield* Effect.orDie(introductions.send({ invitee_email: "bea@example.org" }).pipe(asOperator(inviter)))
})

const fileOf = (text: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* files.writeFileString(path, text)
    return path
  }).pipe(Effect.provide(NodeServices.layer), Effect.orDie)

withLayer(world)("users and invitations by command", ({ effect }) => {
  effect("are mailed, and the list of mails says what waits for which budget and until when", function* () {
    for (let count = 0; count < 11; count++) yield* count === 0 ? invite("pier") : again("pier")
    const outbox = yield* MailOutbox
    const lease = "2 minutes"
    const { claimed } = yield* outbox.claim({
      lane: "written",
      lease_id: "lease",
      lease: Duration.fromInputUnsafe(lease),
      limit: 100
    })
    const options = { address_hashes: ["hash of bea's address"], lease: Duration.fromInputUnsafe(lease) }
    const { id } = yield* Effect.orDie(Organisations.use((organisations) => organisations.findBySlug("pier")))
    const own = claimed.filter(({ mail }) => mail.organisation_id === id)
    for (const each of own) yield* outbox.admit(each, options)
    const at = ["--organisation", "pier"]
    const all = yield* json("mail", "list", "--limit", "100", ...at)
    assert.strictEqual(all.data.length, 11)
    const waiting = yield* json("mail", "list", "--delayed-by", "address_budget", ...at)
    assert.strictEqual(waiting.data.length, 1)
    assert.deepInclude(waiting.data[0], { status: "PENDING", template: "introduction", completed_at: null })
    const { stdout } = yield* almoner("mail", "list", ...at)
    assert.include(stdout, "DELAYED BY")
    assert.include(stdout, waiting.data[0].next_attempt_at)
    // As a word: those letters may stand within an id.
    assert.notMatch(stdout, /\bbea\b/)
  })

  effect("are refused in one sentence that repeats no token", function* () {
    const { invite_url } = yield* invite("quay")
    yield* organisation("lakeside", "FREE")
    yield* json("user", "create", "--email", "cy@example.org", "--name", "Cy")
    yield* json("user", "add-to-organisation", "--user", "cy@example.org", "--role", "ADMIN", "--organisation", "quay")
    const token = invite_url.split("/i/")[1] ?? ""
    const wrong = yield* fileOf(`${token}x`)
    const right = yield* fileOf(token)
    const at = ["--organisation", "lakeside"]
    const refused = [
      ["user", "create", "--email", "CY@example.org", "--name", "Cy"],
      ["user", "create", "--email", "cy", "--name", "Cy"],
      ["user", "create", "--email", "d@example.org", "--name", " "],
      ["user", "add-to-organisation", "--user", "nobody@example.org", "--role", "ADMIN", ...at],
      ["invitation", "open", "--token-file", "-"],
      ["invitation", "open", "--token-file", token],
      ["invitation", "open", "--token-file", invite_url],
      ["invitation", "open", "--token-file", wrong],
      ["invitation", "accept", "--token-file", right, "--user", "cy@example.org", ...at],
      ["invitation", "accept", "--token-file", right, "--user", "cy@example.org", "--organisation", "quay"],
      ["invitation", "accept", "--token-file", right, "--user", "cy@example.org"]
    ]
    for (const args of refused) {
      const { failure, stdout } = yield* almoner(...args)
      assert.match(failure ?? "", /^[^\n]+\.$/, args.join(" "))
      assert.notInclude(failure, token)
      assert.strictEqual(stdout, "")
    }
  })
})

check("commands take no secret as an argument: what names one is read from a file", () => {
  const taken = operations.flatMap(({ parameters, secrets = {} }) =>
    Object.keys(parameters)
      .filter((name) => /token|passphrase|password|secret/.test(name))
      .map((name) => name in secrets)
  )
  assert.isAtLeast(taken.length, 8)
  assert.notInclude(taken, false)
})
