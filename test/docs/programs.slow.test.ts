import { execFile, execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { operationsOf } from "../../src/printing/reference/Operations.tsx"
import { curlOf, type OperationAddress, pythonOf, typescriptOf } from "../../src/printing/reference/Programs.ts"
import { root } from "../architecture/Checkout.ts"
import { runFolder } from "../support/RunFolder.ts"

const base = "https://api.example.org"
const document = openApi({ apiBaseUrl: base, version: "1.2.3" })
const all: ReadonlyArray<OperationAddress> = document.tags.flatMap(({ name }) => operationsOf(document, name))

/** A request as a program sent it. */
interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const run = promisify(execFile)

const hasPython = (() => {
  try {
    execFileSync("python3", ["--version"])
    return true
  } catch {
    return false
  }
})()

/** Holds what programs sent, one for each operation, against what the document declares. */
const assertSent = (sent: ReadonlyArray<Sent | undefined>) => {
  assert.strictEqual(sent.length, all.length)
  for (const [index, { operation, path, verb }] of all.entries()) {
    const { body, headers, method, url } = sent[index] ?? assert.fail(`${verb} ${path} was not sent`)
    const place = path.replaceAll(/\{\w+\}/g, "[a-z]+_[0-7][0-9a-z]{25}")
    assert.strictEqual(method, verb, path)
    assert.match(url.split("?", 1).join(), new RegExp(`^${base}${place}$`))
    assert.deepStrictEqual(body, operation.requestBody?.content["application/json"]?.example, path)
    if (operation["x-scope"] !== undefined) assert.strictEqual(headers["authorization"], "Bearer alm_test_key", path)
    assert.strictEqual(headers["idempotency-key"] !== undefined, verb === "POST" || verb === "PATCH", `${verb} ${path}`)
  }
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

describe("the programs that the reference shows", () => {
  let folder: string
  const env = { ...process.env, ALMONER_KEY: "alm_test_key" }

  beforeAll(() => {
    folder = runFolder("programs")
  })

  it("send with curl what the operation declares", async () => {
    const stand = 'curl() { printf "%s\\0" "$@"; printf "\\0"; }\nuuidgen() { echo one; }\n'
    writeFileSync(join(folder, "all.sh"), stand + all.map((placed) => curlOf(document, placed)).join("\n"))
    const { stdout } = await run("sh", [join(folder, "all.sh")], { env, maxBuffer: 1e8 })
    const calls = stdout.split("\0\0").slice(0, -1)
    assertSent(
      calls.map((call) => {
        const given = call.split("\0")
        const valuesOf = (flag: string) => given.flatMap((each, index) => (given[index - 1] === flag ? [each] : []))
        const [body] = valuesOf("-d")
        return {
          method: valuesOf("-X")[0] ?? "GET",
          url: given.find((each) => each.startsWith("https://")) ?? "",
          headers: lowered(Object.fromEntries(valuesOf("-H").map((each) => each.split(": ")))),
          body: body === undefined ? undefined : JSON.parse(body)
        }
      })
    )
  })

  /** All programs, one after another, each in a scope of its own. */
  const typescript = () => {
    const [head = ""] = typescriptOf(document, all[0] ?? assert.fail()).split("\n")
    const bodies = all.map((placed) => `async () => {${typescriptOf(document, placed).replace(head, "")}\n}`)
    return [
      head.replace("almoner/client", join(root, "src/client.ts")),
      `export const programs: ReadonlyArray<() => Promise<void>> = [${bodies.join(",\n")}]`
    ].join("\n")
  }

  it("send with the typed client what the operation declares", async () => {
    writeFileSync(join(folder, "all.ts"), typescript())
    writeFileSync(
      join(folder, "run.ts"),
      `import { programs } from "./all.ts"
const sent = []
globalThis.fetch = async (url, { body, headers, method }) => {
  sent.push({ url, method, headers: Object.fromEntries(new Headers(headers)), body: body && JSON.parse(body) })
  return new Response('{ "data": [], "has_more": false }', { headers: { "content-type": "application/json" } })
}
console.log = () => {}
for (const program of programs) await program()
process.stdout.write(JSON.stringify(sent))
`
    )
    const outfile = join(folder, "run.mjs")
    await build({ entryPoints: [join(folder, "run.ts")], outfile, bundle: true, platform: "node", format: "esm" })
    const { stdout } = await run(process.execPath, [outfile], { env, maxBuffer: 1e8 })
    assertSent(JSON.parse(stdout))
  })

  it("compile with the typed client", async () => {
    writeFileSync(join(folder, "all.ts"), typescript())
    const extended = { extends: join(root, "tsconfig.json"), include: ["all.ts"], files: [join(folder, "all.ts")] }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ ...extended, compilerOptions: { typeRoots: [join(root, "node_modules/@types")] } })
    )
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch(
      (failed: { readonly stdout: string }) => failed
    )
    assert.strictEqual(stdout, "")
  })

  it.skipIf(!hasPython)("send with Python what the operation declares", async () => {
    writeFileSync(
      join(folder, "requests.py"),
      `sent = []
class Answer:
    def raise_for_status(self): pass
    def json(self): return None
def verb(method):
    def send(url, headers={}, json=None, timeout=None):
        sent.append({"method": method, "url": url, "headers": headers, "body": json})
        return Answer()
    return send
get, post, patch, delete = verb("GET"), verb("POST"), verb("PATCH"), verb("DELETE")
`
    )
    writeFileSync(
      join(folder, "all.py"),
      `import json, sys, requests
for program in json.loads(sys.stdin.read()): exec(program, {"print": lambda *_: None})
print(json.dumps(requests.sent))
`
    )
    writeFileSync(join(folder, "all.json"), JSON.stringify(all.map((placed) => pythonOf(document, placed))))
    const { stdout } = await run("sh", ["-c", `python3 all.py < all.json`], { env, cwd: folder, maxBuffer: 1e8 })
    const sent: ReadonlyArray<Sent> = JSON.parse(stdout)
    assertSent(sent.map((each) => ({ ...each, headers: lowered(each.headers), body: each.body ?? undefined })))
  })
})
