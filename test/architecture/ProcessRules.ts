import { isAlone } from "../Alone.ts"
import type { Violation } from "./ImportRules.ts"
import { imports, isNode, lineAt, type Node, nameOf, places, reachedFrom, type SourceFile } from "./Syntax.ts"

const isTestFile = (path: string): boolean => path.startsWith("test/") && path.endsWith(".test.ts")

const isSuite = (specifier: string | null): boolean => specifier === "vitest" || specifier === "@effect/vitest"

/** The name that a chain of members and calls begins with: `process` of `process.env["A"]`. */
const rootOf = (node: unknown): string | null => {
  if (!isNode(node)) return null
  if (node.type === "MemberExpression") return rootOf(node["object"])
  if (node.type === "CallExpression") return rootOf(node["callee"])
  return node.type === "Identifier" ? nameOf(node) : null
}

const holdsCall = (node: unknown): boolean =>
  isNode(node) && (node.type === "CallExpression" || (node.type === "MemberExpression" && holdsCall(node["object"])))

/** A global or a member of one; what a call answers is its own. */
const isGlobal = (node: unknown): boolean => Object.hasOwn(globalThis, rootOf(node) ?? "") && !holdsCall(node)

/** The text of a member that is called, `process.on` of `process.on("exit", f)`. */
const calledOf = (file: SourceFile, { callee }: Node): string =>
  isNode(callee) ? file.text.slice(callee.start, callee.end) : ""

/** Change the process, or ask about all of it. */
const ofProcess =
  /^process\.(?:on|once|off|addListener|prepend\w+|remove\w+|emit\w*|chdir|umask|exit|abort|set\w+|memoryUsage|cpuUsage|resourceUsage|getActiveResourcesInfo|_get\w+)\b/

/** Write into the object that they are given first. */
const writers =
  /^(?:Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf|freeze)|Reflect\.(?:set\w*|define\w+|delete\w+))$/

/** Set what a package keeps for everybody who imports it. */
const setters =
  /(?:^|\.)(?:(?:reset)?[cC]onfigureGlobal|setGlobalDispatcher|setServers|setDefault\w+|setTypeParser|setFlagsFromString|syncBuiltinESMExports|registerHooks)$/

const judge = (file: SourceFile, node: Node): boolean => {
  switch (node.type) {
    case "AssignmentExpression":
      return isNode(node["left"]) && node["left"].type === "MemberExpression" && isGlobal(node["left"])
    case "UpdateExpression":
    case "UnaryExpression": {
      const { argument, operator } = node
      const writes = node.type === "UpdateExpression" || operator === "delete"
      return writes && isNode(argument) && argument.type === "MemberExpression" && isGlobal(argument)
    }
    case "CallExpression": {
      const called = calledOf(file, node)
      const [first] = Array.isArray(node["arguments"]) ? node["arguments"] : []
      return ofProcess.test(called) || setters.test(called) || (writers.test(called) && isGlobal(first))
    }
    default:
      return false
  }
}

const found = (file: SourceFile, start: number, end: number): Violation => ({
  path: file.path,
  line: lineAt(file.text, start),
  found: file.text.slice(start, end).split("\n", 1).join()
})

const changesOf = (file: SourceFile): ReadonlyArray<Violation> => {
  const fakes = imports(file).flatMap(({ names, specifier, start }) =>
    isSuite(specifier) && names.some(({ imported }) => imported === "vi" || imported === "*")
      ? [found(file, start, file.text.length)]
      : []
  )
  const changes = places(file).flatMap(({ node }) => (judge(file, node) ? [found(file, node.start, node.end)] : []))
  return [...fakes, ...changes]
}

/** Test files that take turns in a process, and what they import, leave it as it was. */
export const processLeft = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const ours = files.filter(({ path }) => path.endsWith(".ts") && /^(?:test|src\/testing)\//.test(path))
  const together = ours.filter(({ path }) => isTestFile(path) && !isAlone(path))
  return reachedFrom(ours, together).flatMap(changesOf)
}

/** Change the path that they are given first, or second. */
const changers = [
  /^(?:mkdir|mkdtemp|(?:write|append)File|rm|rmdir|unlink|truncate|chmod|chown|utimes|createWriteStream)(?:Sync)?$/,
  /^(?:rename|symlink|copyFile|cp)(?:Sync)?$/
]

const argumentsOf = (node: Node): ReadonlyArray<unknown> => (Array.isArray(node["arguments"]) ? node["arguments"] : [])

/**
 * Tests write to folders of their run alone: not to the checkout, to anybody's home, to a name that another run has too; and
 * they listen where the system has room.
 */
export const writesToItsOwn = (file: SourceFile): ReadonlyArray<Violation> => {
  const nodes = places(file).map(({ node }) => node)
  const ours = new Set(["root"])
  const isOurs = (path: unknown): boolean => {
    if (!isNode(path)) return false
    if (path.type === "CallExpression")
      return /^(?:join|resolve)$/.test(calledOf(file, path)) && isOurs(argumentsOf(path)[0])
    return ours.has(nameOf(path) ?? "")
  }
  for (const { id, init, type } of nodes) {
    if (type === "VariableDeclarator" && isOurs(init)) ours.add(nameOf(id) ?? "root")
  }
  const calls = nodes.filter(({ type }) => type === "CallExpression")
  const named = new Set(calls.filter((call) => /^mkdtemp/.test(calledOf(file, call))).flatMap(argumentsOf))
  const isShared = (call: Node): boolean => {
    const called = calledOf(file, call)
    const [first] = argumentsOf(call)
    if (changers.some((pattern, index) => pattern.test(called) && isOurs(argumentsOf(call)[index]))) return true
    if (/^(?:os\.)?homedir$/.test(called)) return true
    if (/\.listen$/.test(called)) return isNode(first) && typeof first["value"] === "number" && first["value"] > 0
    return isNode(first) && calledOf(file, first) === "tmpdir" && !named.has(call)
  }
  return calls.filter(isShared).map(({ end, start }) => found(file, start, end))
}

const isFunction = ({ type }: Node): boolean => /Function/.test(type)

/** The calls that happen when a file is loaded. */
const callsOnLoading = (value: unknown): ReadonlyArray<Node> => {
  if (Array.isArray(value)) return value.flatMap(callsOnLoading)
  if (!isNode(value) || isFunction(value)) return []
  const inside = Object.values(value).flatMap(callsOnLoading)
  return value.type === "CallExpression" ? [value, ...inside] : inside
}

/** Is loaded anew before each file. */
const setup = "test/support/ProcessState.ts"

/**
 * A module is loaded once for all test files of a process: tests that it registers on loading would be those of the first
 * file alone.
 */
export const registersNothing = (file: SourceFile): ReadonlyArray<Violation> => {
  const all = imports(file)
  const borrowed = all.filter(({ specifier }) => specifier?.endsWith(".test.ts") === true)
  const suite = all.filter(({ specifier }) => isSuite(specifier)).flatMap(({ names }) => names)
  const registering = new Set(suite.map(({ local }) => local))
  const top = places(file).filter(({ key, parent }) => parent?.type === "Program" && key === "body")
  const calls =
    isTestFile(file.path) || file.path.endsWith(".test-d.ts") || file.path === setup
      ? []
      : top.flatMap(({ node }) => callsOnLoading(node)).filter(({ callee }) => registering.has(rootOf(callee) ?? ""))
  return [
    ...borrowed.map(({ start }) => found(file, start, file.text.length)),
    ...calls.map(({ end, start }) => found(file, start, end))
  ]
}
