import { createRequire } from "node:module"
import { Option, Schema } from "effect"

/** What `dist/build.json` says, which scripts/setup.mjs writes with each build. */
const BuildFile = Schema.Struct({
  /** The commit that was built; null where there was no git. */
  commit: Schema.NullOr(Schema.String),
  /** Whether the sources had changed since that commit. */
  changed: Schema.Boolean,
  /** The hash of the sources: it tells builds apart that have no commit, or the same one. */
  sources: Schema.String
})

const decode = Schema.decodeUnknownOption(BuildFile)

const short = (hash: string): string => hash.slice(0, 12)

/** The version and what tells this build of it from others: `0.2.0 (commit 1f2e3d4c5b6a)`. */
export const versionOfBuild = (version: string, file: unknown): string =>
  Option.match(decode(file), {
    onNone: () => version,
    onSome: ({ changed, commit, sources }) => {
      if (commit === null) return `${version} (sources ${short(sources)})`
      return `${version} (commit ${short(commit)}${changed ? `, changed, sources ${short(sources)}` : ""})`
    }
  })

/** What a JSON file beside the program says; null where there is none. */
export const readBeside = (module: string, path: string): unknown => {
  try {
    return createRequire(module)(path)
  } catch {
    return null
  }
}
