import { type TestRule, testMethods, testRules } from "../domain/payments/TestRules.ts"

const headings = {
  card: "Cards",
  au_becs_debit: "BECS direct debit: BSB and account number",
  payto: "PayTo: PayID"
} as const

/** The codes with which its charges fail. */
const codesOf = ({ approved = [], confirmed }: TestRule): string =>
  [...confirmed, ...approved].flatMap(({ act }) => (act._tag === "Fail" ? [`\`${act.code}\``] : [])).join(", ")

const rowOf = (rule: TestRule): string => `| \`${rule.token}\` | ${rule.says} | ${codesOf(rule)} |`

/** The numbers of the test processor as docs/guides/test-processor.md prints them. */
export const testRulesTables = (): string =>
  testMethods
    .flatMap((method) => [
      `### ${headings[method]}`,
      "",
      "| Number | What happens | Failure code |",
      "|---|---|---|",
      ...testRules.filter((rule) => rule.method === method).map(rowOf),
      ""
    ])
    .join("\n")
