import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { root } from "../architecture/Checkout.ts"
import { freePort, serve } from "../e2e/Almoner.ts"
import { blocksOf, commandsToRun } from "./Markdown.ts"
import { assertInOrder, builtCheckout, runShell, walkTimeout } from "./Shell.ts"
import { type Walkthrough, walkthroughs } from "./Walkthroughs.ts"

/** What a reader does after a command that goes on in the background: see it up. */
const untilListened = "until (: < /dev/tcp/127.0.0.1/9000) 2> /dev/null; do sleep 0.05; done\n"

const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

/** Runs the commands of a document, in their order, beside a server on the demo, and answers what they printed. */
const walk = (
  { receives = [] }: Pick<Walkthrough, "receives">,
  text: string
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ports = new Map([
      ["8080", `${yield* freePort}`],
      ["9000", `${yield* freePort}`]
    ])
    const ported = (code: string) => code.replaceAll(/\b(?:8080|9000)\b/g, (port) => ports.get(port) ?? port)
    const cwd = yield* builtCheckout
    for (const receiver of blocksOf(text, "js").filter((block) => block.includes("createServer"))) {
      writeFileSync(join(cwd, "receiver.mjs"), ported(receiver))
    }
    yield* serve({
      PORT: ports.get("8080") ?? "",
      DATA_DIR: join(cwd, ".almoner"),
      EMBEDDED_DURABILITY: "relaxed"
    })
    const blocks = commandsToRun(text).map((block) => (block.endsWith(" &\n") ? block + untilListened : block))
    const printed = yield* runShell(ported(blocks.join("\n")), cwd)
    const isReceived = () => receives.every((pattern) => pattern.test(printed.out))
    for (let wait = 0; wait < 600 && !isReceived(); wait++) yield* Effect.sleep(50)
    assert.isTrue(isReceived(), `Some of ${receives.join(" ")} is not received:\n${printed.out}`)
    return printed.out
  })

describe("the commands of a document run as printed, in order, on the demo", () => {
  it.live.each(walkthroughs)(
    "$path",
    (walkthrough) =>
      Effect.gen(function* () {
        assertInOrder(yield* walk(walkthrough, textOf(walkthrough.path)), walkthrough.prints)
      }),
    walkTimeout
  )

  it.live(
    "and what is given on the demo elsewhere can be given after docs/guides/payments.md, too",
    () => walk({}, ["payments", "test-processor", "sets"].map((name) => textOf(`docs/guides/${name}.md`)).join("\n")),
    2 * walkTimeout
  )
})
