import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import { Result, Schema } from "effect"
import { settingsTable } from "../../src/adapters/cli/Settings.ts"
import { addressRulesOf, judgeAddress, judgeUrl } from "../../src/domain/outbox/WebhookAddress.ts"
import { read, root } from "../architecture/Checkout.ts"
import { blocksOf } from "./Markdown.ts"
import { deliverTo } from "./Receiver.ts"

const guide = read("docs/guides/deploy.md")

const Service = Schema.Struct({
  image: Schema.String,
  /** Null is passed on from the environment, where it has it. */
  environment: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  read_only: Schema.optionalKey(Schema.Boolean),
  cap_drop: Schema.optionalKey(Schema.Array(Schema.String)),
  security_opt: Schema.optionalKey(Schema.Array(Schema.String)),
  volumes: Schema.Array(Schema.String),
  networks: Schema.optionalKey(Schema.Struct({ default: Schema.Struct({ aliases: Schema.Array(Schema.String) }) }))
})

const Compose = Schema.Struct({
  services: Schema.Struct({ almoner: Service, postgres: Service, receiver: Service }),
  networks: Schema.Struct({
    default: Schema.Struct({ ipam: Schema.Struct({ config: Schema.Array(Schema.Struct({ subnet: Schema.String })) }) })
  })
})

const { networks, services } = Schema.decodeUnknownSync(Compose)(parseYaml(read("compose.yaml")))

describe("compose.yaml", () => {
  const { almoner, postgres, receiver } = services

  it("sets what can be set", () => {
    const names = [...settingsTable().matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name)
    assert.includeMembers(names, Object.keys(almoner.environment))
    assert.includeMembers(Object.keys(almoner.environment), ["API_BASE_URL", "PUBLIC_URL_TEMPLATE"])
    assert.include(almoner.environment["DATABASE_URL"] ?? "", `@postgres:5432/${postgres.environment["POSTGRES_DB"]}`)
  })

  it("runs what is ours closed: a read-only root, no capabilities, no new rights", () => {
    for (const { cap_drop, read_only, security_opt } of [almoner, receiver]) {
      assert.deepStrictEqual([read_only, cap_drop, security_opt], [true, ["ALL"], ["no-new-privileges:true"]])
    }
    assert.match(read("Dockerfile"), /^USER [1-9]\d*:[1-9]\d*$/m)
  })

  it("holds no secret, and asks for each", () => {
    const secrets = [almoner, postgres, receiver].flatMap(({ environment }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|KEYS|SECRET|DATABASE_URL/.test(name))
    )
    assert.isAbove(secrets.length, 3)
    for (const [name, value] of secrets) assert.match(value ?? "", /\$\{\w+:[?-]/, name)
  })

  it("has a receiver that a sandbox may be told of, and a live organisation may not", () => {
    const [alias = ""] = receiver.networks?.default.aliases ?? []
    const [{ subnet } = { subnet: "" }] = networks.default.ipam.config
    const allowed = (almoner.environment["WEBHOOK_ALLOW_CIDRS"] ?? "").split(",")
    const url = `http://${alias}:9000/`
    const inside = subnet.replace(/\.0\/\d+$/, ".7")
    assert.include(guide, url)
    const judged = (is_sandbox: boolean) => {
      const rules = addressRulesOf({ is_sandbox, webhook_allowed_cidrs: [] }, allowed)
      return [Result.isSuccess(judgeUrl(url, rules)), Result.isSuccess(judgeAddress(inside, rules))]
    }
    assert.deepStrictEqual(
      [judged(true), judged(false)],
      [
        [true, true],
        [false, false]
      ]
    )
  })
})

it("the receiver of compose.yaml prints each event once, and refuses what was not signed", async () => {
  const env = { ALMONER_CLIENT: join(root, "dist/client.js") }
  const { printed, status, statuses } = await deliverTo(join(root, "scripts/receiver.mjs"), env)
  assert.deepStrictEqual([statuses, printed, status], [[204, 204, 400, 400], "donor.created dnr_1\n", 0])
})

describe("the unit of the guide", () => {
  const [unit = ""] = blocksOf(guide, "ini")

  it.skipIf(process.platform === "win32")("starts node with the secrets that its files hold, and no others see", () => {
    const folder = mkdtempSync(join(tmpdir(), "almoner-unit-"))
    const secrets = { database_url: "postgres://almoner@/almoner?host=/run", encryption_keys: "a:b+c/d=" }
    for (const [name, text] of Object.entries(secrets)) {
      assert.include(unit, `LoadCredential=${name}:/etc/almoner/${name}\n`)
      writeFileSync(join(folder, name), `${text}\n`)
    }
    const node = join(folder, "node")
    writeFileSync(node, '#!/bin/sh\nprintf "%s\\n" "$DATABASE_URL" "$ALMONER_ENCRYPTION_KEYS" "$*"\n')
    chmodSync(node, 0o755)
    const [, flags = "", script = ""] =
      /^ExecStart=\/bin\/sh (-\w+) '([^']*)'$/m.exec(unit.replaceAll("\\\n", " ")) ?? []
    const started = () =>
      spawnSync("/bin/sh", [flags, script.replaceAll("$$", "$")], {
        env: { PATH: `${folder}:${process.env["PATH"]}`, CREDENTIALS_DIRECTORY: folder },
        encoding: "utf8"
      })
    const { stdout } = started()
    for (const name of Object.keys(secrets)) {
      renameSync(join(folder, name), join(folder, "away"))
      const without = started()
      assert.deepStrictEqual([without.stdout, without.status], ["", 1], "a secret that is missing starts nothing")
      renameSync(join(folder, "away"), join(folder, name))
    }
    rmSync(folder, { recursive: true })
    const [url, keys, command = ""] = stdout.split("\n")
    assert.deepStrictEqual([url, keys], [secrets.database_url, secrets.encryption_keys])
    assert.match(command, /^--\S+ --\S+ --\S+ \/opt\/almoner\/dist\/main\.js serve$/)
  })

  it("gives a stop more time than it takes, and the process no rights", () => {
    assert.isAbove(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]), 10)
    for (const line of ["NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "DynamicUser=yes"]) {
      assert.include(unit.split("\n"), line)
    }
  })
})
