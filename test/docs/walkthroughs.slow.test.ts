import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { root } from "../architecture/Checkout.ts"
import { folder, freePort, serve } from "../e2e/Almoner.ts"
import { program } from "../e2e/Program.ts"
import { blocksOf } from "./Markdown.ts"

interface Walkthrough {
  readonly path: string
  /** What its commands print, in this order. */
  readonly prints: ReadonlyArray<RegExp>
  /** What its receiver prints meanwhile. */
  readonly receives?: ReadonlyArray<RegExp>
}

const walkthroughs: ReadonlyArray<Walkthrough> = [
  {
    path: "README.md",
    prints: [
      /^status +SUCCEEDED$/m,
      /"type": "donation.succeeded"/,
      /"scope":"WRITE"/,
      /HTTP\/1.1 201 Created\r$/m,
      /"status":\s*"CONFIRMED"/
    ],
    receives: [/donor.created dnr_/, /donation.created don_/, /donation.succeeded don_/]
  },
  {
    path: "docs/guides/sets.md",
    prints: [
      /^ +recipient_org_slug +heron-sandbox$/m,
      /^roal_\S+ +Heron Rescue +heron-sandbox/m,
      /^ +amount_mode +SUGGESTED$/m,
      /^status +SUCCEEDED$/m,
      /^rsp_\S+ +dnr_\S+ +SUCCEEDED +\S+ +4000 /m,
      /^ +pal_\S+ +roal_\S+ +3000 +2925 /m,
      /^trf_\S+ +pal_\S+ +- +1 +1 +2925 +AUD /m,
      /^don_\S+ +dnr_\S+ +\S+ +3000 +AUD +RECOMMENDATION_SET /m,
      /^payment_status +SUCCEEDED$/m,
      /^mail_\S+ +introduction +intr_/m,
      /^status +VIEWED$/m,
      /^status +ACCEPTED$/m,
      /^status +LINKED$/m,
      /^accepted_recipient_org_account_link_id +roal_/m,
      /^roal_\S+ +Lighthouse +lighthouse-sandbox +Main/m,
      /introduction.linked/
    ]
  },
  {
    path: "docs/guides/payments.md",
    prints: [
      /^methods +card, payto$/m,
      /^frequencies +MONTHLY, ANNUALLY$/m,
      /^status +SUCCEEDED$/m,
      /^don_\S+ +dnr_\S+ +CONFIRMED +5000 /m,
      /^amount_cents +2500$/m,
      /^recommendation_set_payment_id +rsp_/m,
      /^subscription_id +sub_/m,
      /^sub_\S+ +dnr_\S+ +ACTIVE +2000 /m,
      /^ +\S+ +2000 +PAID +chg_\S+ +0 /m,
      /^ +\S+ +2000 +PAID +chg_\S+ +1 .* don_\S+ +don_/m,
      /^cancel_reason +cancellation_requested$/m,
      /^text +May we write to you\?$/m,
      /^amount_cents +3000$/m,
      /^consent_given +true$/m,
      /^rfd_\S+ +don_\S+ +1000 +Given twice /m,
      /^chg_\S+ +don_\S+ +card +2000 +AUD +FAILED +insufficient_funds /m,
      /^org_\S+ +AUD +\{.*\} +-$/m,
      /^There are none.$/m
    ]
  },
  {
    path: "docs/guides/bank-transfers.md",
    prints: [
      /"status": "WAITING"/,
      /"reference": "[0-9A-Z]{8}"/,
      /^matched +1$/m,
      /^crd_\S+ +\S+ +2500 +AUD +CASH DEPOSIT /m,
      /^don_\S+ +dnr_\S+ +CONFIRMED +5000 /m,
      /^status +RESOLVED$/m,
      /^refunded_amount_cents +2000$/m,
      /^processor_reference +NPP-7731$/m,
      /^org_\S+ +AUD +\{.*\} +-$/m
    ]
  },
  {
    path: "docs/guides/test-processor.md",
    prints: [
      /^status +PROCESSING$/m,
      /^status +succeeded$/m,
      /^ +test_chg_\S+_d1 +2000 +lost /m,
      /^chg_\S+ +au_becs_debit /m,
      /^ +dsp_\S+ +chg_\S+ +test_chg_\S+_d1 +2000 +LOST /m,
      /^ahead_seconds +6047\d{3}$/m,
      /^mandate +DECLINING$/m,
      /^status +PAST_DUE$/m,
      /^ +\S+ +2000 +OPEN /m,
      /^ +\S+ +2000 +PAID /m,
      /^evt_\S+ +subscription.payment_failed /m
    ]
  },
  {
    path: "docs/guides/webhooks.md",
    prints: [
      /"source":"MANUAL","status":"CONFIRMED"/,
      /^received +true$/m,
      /^dlv_\S+ +donation.succeeded +DELIVERED +1 /m,
      /^ +1 +\S+ +204 /m,
      /^replay_of +dlv_/m,
      /^replayable +0$/m,
      /"secret":"almwh_/
    ],
    receives: [/donation.created don_/, /donation.succeeded don_/, /webhook_endpoint.test/]
  }
]

/** What stands for set-up that was done: installing, building, and the server in another terminal. */
const prelude = "set -eu -o pipefail\nnpm() { :; }\n"

/** What a reader does after a command that goes on in the background: see it up. */
const untilListened = (port: string) => `until (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do sleep 0.05; done\n`

/** A shell's output, while it and what it began in the background run; they end with the scope. */
const shell = (script: string, cwd: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
        const child = spawn("bash", ["-c", script], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
        const output = { printed: "", complaints: "" }
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          output.printed += text
        })
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          output.complaints += text
        })
        const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
        return { child, ended, output }
      }),
      ({ child }) =>
        Effect.sync(() => {
          try {
            process.kill(-(child.pid ?? 0), "SIGKILL")
          } catch {
            // It has ended, and so has what it began.
          }
        })
    ),
    ({ ended, output }) => ({ ended: Effect.promise(() => ended), output })
  )

/** A folder as a checkout has it after its set-up, with the receiver that the document shows. */
const checkout = Effect.fnUntraced(function* (text: string, ported: (text: string) => string) {
  const cwd = join(yield* folder, "almoner")
  yield* Effect.promise(async () => {
    await mkdir(cwd)
    await symlink(dirname(await program()), join(cwd, "dist"))
    await symlink(join(root, "node_modules"), join(cwd, "node_modules"))
    for (const receiver of blocksOf(text, "js").filter((block) => block.includes("createServer"))) {
      await writeFile(join(cwd, "receiver.mjs"), ported(receiver))
    }
  })
  return cwd
})

/** Runs the commands of a document, in their order, beside a server on the demo, and answers what they printed. */
const walk = ({ path, receives = [] }: Walkthrough): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const text = readFileSync(join(root, path), "utf8")
    const ports = new Map([
      ["8080", `${yield* freePort}`],
      ["9000", `${yield* freePort}`]
    ])
    const ported = (code: string) => code.replaceAll(/\b(?:8080|9000)\b/g, (port) => ports.get(port) ?? port)
    const cwd = yield* checkout(text, ported)
    yield* serve({
      PORT: ports.get("8080") ?? "",
      DATA_DIR: join(cwd, ".almoner"),
      EMBEDDED_DURABILITY: "relaxed"
    })
    const blocks = blocksOf(text, "sh").map((block) =>
      block.endsWith(" &\n") ? `${block}${untilListened("9000")}` : block
    )
    const { ended, output } = yield* shell(prelude + ported(blocks.join("\n")), cwd)
    assert.strictEqual(yield* ended, 0, output.printed + output.complaints)
    const isReceived = () => receives.every((pattern) => pattern.test(output.printed))
    for (let wait = 0; wait < 600 && !isReceived(); wait++) yield* Effect.sleep(50)
    assert.isTrue(isReceived(), `Some of ${receives.join(" ")} is not received:\n${output.printed}`)
    return output.printed
  })

/** Many commands, each a process; beside other tests they take turns. */
const timeout = 400_000

describe("the commands of a document run as printed, in order, on the demo", () => {
  it.live.each(walkthroughs)(
    "$path",
    (walkthrough) =>
      Effect.gen(function* () {
        let rest = yield* walk(walkthrough)
        for (const pattern of walkthrough.prints) {
          const found = pattern.exec(rest)
          assert.isNotNull(found, `${pattern} is not in what is left:\n${rest}`)
          rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0))
        }
      }),
    timeout
  )
})
