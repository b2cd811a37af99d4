/**
 * Prints the reference of every export into build/reference, which no version control keeps, or into the folder that is
 * named: `npm run reference -- folder`. TypeDoc reads the declarations that the build writes. It and the TypeScript that it
 * needs are run by `npm exec`, in these versions, and are no dependencies.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { entriesOf, root } from "./declarations.mjs"

const tools = ["typedoc@0.28.20", "typedoc-plugin-markdown@4.14.1", "typescript@6.0.3"]
const out = resolve(process.argv[2] ?? join(root, "build/reference"))
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
} finally {
  rmSync(work, { recursive: true, force: true })
}
