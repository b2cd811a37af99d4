import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Schema } from "effect"
import fc from "fast-check"
import { EventId, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import * as Event from "../../src/domain/outbox/Event.ts"
import { jsonSchemaOf } from "../../src/domain/outbox/EventEnvelope.ts"
import { eventSchemaFiles, generatedFiles, limitsMarkdown } from "../../src/printing/GeneratedFiles.ts"
import { machines } from "../../src/printing/ReferenceMachines.ts"
import { receiverExample } from "../../src/printing/reference/Guide.tsx"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { instant } from "../../src/testing/Generators.ts"
import { read, readCheckout, root } from "../architecture/Checkout.ts"
import { forEveryWith } from "../support/Property.ts"
import { blocksOf, brokenLinks, paragraphsOf, withoutNotRun } from "./Markdown.ts"
import { isRunElsewhere, walkthroughs } from "./Walkthroughs.ts"

const { version } = JSON.parse(read("package.json"))
const generated = generatedFiles({ read, version })

const stale = (path: string): string => `${path} is stale: run "npm run docs"`

describe("the generated documents", () => {
  it.each(generated)("%s is what the code says", (path, text) => {
    assert.isTrue(read(path) === text, stale(path))
  })

  it("have no schema of an event type that is gone", () => {
    const names = readdirSync(join(root, "docs/events"))
    assert.deepStrictEqual(
      names.sort(),
      eventSchemaFiles()
        .map(([name]) => name)
        .sort(),
      stale("docs/events")
    )
  })

  it("have every machine and every limit", () => {
    const sources = readCheckout().filter(({ path }) => path.startsWith("src/domain/"))
    const declared = sources.filter(({ text }) => text.includes("export const machine: machine ="))
    assert.strictEqual(machines.length, declared.length)
    for (const name of Object.keys(Limits)) assert.include(limitsMarkdown(), `\`${name}\``)
    assert.notInclude(limitsMarkdown(), "undefined")
  })
})

describe("an event's schema", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  it.each(Event.eventTypes.map((type) => [type] as const))("accepts every event of type %s, and no other", (type) => {
    const accepts = ajv.compile(jsonSchemaOf(type))
    const data: Schema.Codec<Event.EventData<typeof type>, unknown> = Event.catalogue[type].data
    const events = fc.record({
      id: arbitraryOf(EventId),
      organisation_id: arbitraryOf(OrganisationId),
      occurred_at: instant,
      data: arbitraryOf(data)
    })
    forEveryWith({ numRuns: 20 }, events, (event) => {
      const body: Record<string, unknown> = JSON.parse(Event.make({ ...event, type, dedupe_key: "" }).body)
      assert.isTrue(accepts(body), ajv.errorsText(accepts.errors))
      assert.isTrue(accepts({ ...body, added_later: 1 }))
      assert.isFalse(accepts({ ...body, type: "donor.vanished" }))
      assert.isFalse(accepts({ ...body, data: {} }))
    })
  })
})

describe("the written documents", () => {
  const files = readCheckout().filter(({ path }) => path.endsWith(".md"))

  it("link to files and headings that are there", () => {
    assert.deepStrictEqual(
      files.flatMap((file) => brokenLinks(root, file, files).map((target) => `${file.path}: ${target}`)),
      []
    )
  })

  it("would be found with a broken link", () => {
    const file = {
      path: "docs/probe.md",
      text: "# Probe\n\n[a](nowhere.md) [b](#nothing) [c](../README.md#none) [d](#probe)\n"
    }
    assert.deepStrictEqual(brokenLinks(root, file, [...files, file]), ["nowhere.md", "#nothing", "../README.md#none"])
  })

  it("have paragraphs of less than 600 characters, but the contract and decisions", () => {
    const written = files.filter(({ path }) => !/^docs\/(?:contract|decisions)\//.test(path))
    const long = written.flatMap(({ path, text }) =>
      paragraphsOf(text).flatMap((each) =>
        each.length < 600 ? [] : [`${path}: ${each.length} characters, ${each.slice(0, 60)}`]
      )
    )
    assert.deepStrictEqual(long, [])
    assert.deepStrictEqual(paragraphsOf("a\nb\n\n| c |\n\n```sh\nd\n```\n- e\n- f\n"), ["a b", "- e", "- f"])
  })

  it("have no sentence whose subject is a relative clause, where a newcomer reads", () => {
    const clause = /(?:^|[.:] )[*-]* ?(?:What|Whatever|Whoever) [^.?]*\./
    const read = files.filter(({ path }) => /^(?:[A-Z]+\.md|docs\/guides\/.*)$/.test(path) && path !== "CHANGELOG.md")
    const found = read.flatMap(({ path, text }) =>
      paragraphsOf(text).flatMap((each) =>
        each.startsWith("#") ? [] : (clause.exec(each) ?? []).map((is) => `${path}: ${is}`)
      )
    )
    assert.deepStrictEqual(found, [])
    assert.match("It is so. What is lost is found.", clause)
  })

  it("have commands that are run, or say why they are not", () => {
    const isRun = (path: string) => isRunElsewhere(path) || walkthroughs.some((each) => each.path === path)
    const notRun = files.filter(({ path, text }) => !isRun(path) && /^ *```sh$/m.test(withoutNotRun(text)))
    assert.deepStrictEqual(
      notRun.map(({ path }) => path),
      []
    )
    assert.isNotEmpty(withoutNotRun("<!-- not run: of another place -->\n```sh\na\n```\n```sh\nb\n```\n").match(/^b$/m))
  })

  it("have JSON that can be parsed", () => {
    for (const { path, text } of files)
      for (const block of blocksOf(text, "json")) assert.doesNotThrow(() => JSON.parse(block), path)
  })

  it("show the receiver that the reference shows", () => {
    for (const path of ["README.md", "docs/guides/webhooks.md"]) {
      assert.isTrue(blocksOf(read(path), "js").includes(receiverExample), path)
    }
  })
})
