/**
 * Prints the reference of every export into docs/reference: `npm run reference`. TypeDoc reads the declarations that the
 * build writes. It and the TypeScript that it needs are run by `npm exec`, in these versions, and are no dependencies.
 * test/docs/apiReference.test.ts compares the digest of the declarations and fails when the reference is stale.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { declarationsDigest, entriesOf, root } from "./declarations.mjs"

const tools = ["typedoc@0.28.20", "typedoc-plugin-markdown@4.14.1", "typescript@6.0.3"]
const out = join(root, "docs/reference")
const entries = entriesOf()
const work = mkdtempSync(join(tmpdir(), "almoner-reference-"))

const json = (name, value) => writeFileSync(join(work, name), JSON.stringify(value))

try {
  json("tsconfig.json", {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
    include: [],
    files: entries.map(({ types }) => join(root, types))
  })
  json("typedoc.json", {
    name: "almoner",
    tsconfig: join(work, "tsconfig.json"),
    basePath: join(root, "dist"),
    entryPoints: entries.map(({ types }) => join(root, types)),
    plugin: ["typedoc-plugin-markdown"],
    out,
    readme: "none",
    logLevel: "Error",
    outputFileStrategy: "modules",
    // Nothing that changes without the declarations: no lines, no commits, no addresses.
    disableSources: true,
    disableGit: true,
    excludeExternals: true,
    excludePrivate: true,
    githubPages: false,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: "table",
    enumMembersFormat: "table",
    skipErrorChecking: true
  })
  rmSync(out, { recursive: true, force: true })
  const packages = tools.flatMap((each) => ["--package", each])
  execFileSync("npm", ["exec", "--yes", ...packages, "--", "typedoc", "--options", join(work, "typedoc.json")], {
    cwd: work,
    stdio: ["ignore", "inherit", "inherit"]
  })
  const contents = entries.map(({ entry, types }) => {
    const page = basename(types, ".d.ts")
    const file = [`${page}.md`, `${page}/README.md`].find((each) => existsSync(join(out, each)))
    if (file === undefined) throw new Error(`${entry} has no page`)
    return `| \`${entry}\` | [${file}](${file}) |`
  })
  const heading =
    "# Reference\n\nEvery export of the package, by entry. Printed by `npm run reference` from the declarations.\n"
  writeFileSync(join(out, "README.md"), `${heading}\n| Entry | Page |\n|---|---|\n${contents.join("\n")}\n`)
  writeFileSync(join(out, "declarations.sha256"), `${declarationsDigest(entries)}\n`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
