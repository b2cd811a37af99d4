import { contextOf } from "./Contexts.ts"
import {
  contextOrder,
  effectStable,
  importExtensions,
  importTable,
  unusedFiles,
  type Violation
} from "./ImportRules.ts"
import { nounExports, nounFiles } from "./NameRules.ts"
import { processLeft, registersNothing, writesToItsOwn } from "./ProcessRules.ts"
import { purity } from "./PurityRules.ts"
import { subjectRooms } from "./SubjectRules.ts"
import type { SourceFile } from "./Syntax.ts"
import {
  causesWithheld,
  checkedTime,
  eventsUnnamed,
  everyTestRuns,
  modulesOfFunctions,
  noMachinePaths,
  noRegistryAddresses,
  noUnfinishedMarks,
  oneTitle,
  refusalsAnswered,
  rulesOfTheDomain,
  shortFiles,
  shortFunctions,
  timeNamed
} from "./TidyRules.ts"

/** A rule over the text of the project's files. */
export interface Rule {
  readonly name: string
  readonly check: (files: ReadonlyArray<SourceFile>) => ReadonlyArray<Violation>
}

type FileRule = (file: SourceFile) => ReadonlyArray<Violation>

const each = (name: string, concerns: (path: string) => boolean, rule: FileRule): Rule => ({
  name,
  check: (files) => files.filter(({ path }) => concerns(path)).flatMap(rule)
})

const isSource = (path: string): boolean => path.startsWith("src/") && path.endsWith(".ts")
/** Source but for the checks of adapters, which are lists of small tests. */
const isProduct = (path: string): boolean => isSource(path) && !path.startsWith("src/testing/")
const isTypeScript = (path: string): boolean => path.endsWith(".ts")
const isMarkdown = (path: string): boolean => path.endsWith(".md")
const isTest = (path: string): boolean => path.startsWith("test/")
const isSharedByTests = (path: string): boolean => /^(?:test|src\/testing)\/.*\.ts$/.test(path)
const isCode = (path: string): boolean => /^(src|test|docs|examples|bench|chaos|harness|scripts)\//.test(path)
const isStore = (path: string): boolean =>
  /^src\/adapters\/(?:postgres|memory)\//.test(path) && contextOf(path) !== null
const isNamed = (path: string): boolean =>
  /^(?:src|test|bench|chaos|harness|scripts)\/.*\.m?ts$/.test(path) && !/\/(?:generated|migrations)\//.test(path)
const isUseCase = (path: string): boolean => /^src\/app\/\w+\/\w+\.ts$/.test(path)
const isLock = (path: string): boolean => path.endsWith("package-lock.json")

/** Every rule that the project holds itself to, by the sentence it stands for. */
export const rules: ReadonlyArray<Rule> = [
  each("each folder imports only what the table allows", isSource, importTable),
  each("contexts import one way", isSource, contextOrder),
  { name: "a subject's inner files are its own", check: subjectRooms },
  each("the core uses only what effect calls stable", isSource, effectStable),
  each("the core knows no host, clock, chance or type escape", isSource, purity),
  { name: "every source file is needed by an entry point", check: unusedFiles },
  each("relative imports end in .ts", isTypeScript, importExtensions),
  each("exported names are nouns, or verbs", isNamed, nounExports),
  each("file names are nouns", isNamed, nounFiles),
  each("source files are short", isSource, shortFiles),
  each("functions are short", isSource, shortFunctions),
  {
    name: "functions are short with those inside them",
    check: (files) => modulesOfFunctions(files.filter(({ path }) => isProduct(path)))
  },
  each("refused commands are answered", (path) => path.startsWith("src/app/"), refusalsAnswered),
  each("causes are logged without values", isSource, causesWithheld),
  each("stores take their rules from the domain", isStore, rulesOfTheDomain),
  each("use cases outside the time of an organisation take the real one", isUseCase, timeNamed),
  each("instants are held to their range, and now says whose it is", isProduct, checkedTime),
  each("use cases name no events", (path) => path.startsWith("src/app/"), eventsUnnamed),
  each("nothing is left unfinished", isCode, noUnfinishedMarks),
  each("every test runs", isTest, everyTestRuns),
  { name: "test files that share a process leave it as it was", check: processLeft },
  each("tests write to folders of their own", (path) => isTest(path) && isTypeScript(path), writesToItsOwn),
  each("what tests share registers none when it is loaded", isSharedByTests, registersNothing),
  each("no path belongs to one machine", (path) => !isLock(path), noMachinePaths),
  each("a document has one title", isMarkdown, oneTitle),
  each("the lock file names no registry", isLock, noRegistryAddresses)
]
