import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Comparison, Scalar } from "../../../domain/kernel/Comparison.ts"
import type { Rule } from "../../../domain/kernel/Rule.ts"

const operators = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/**
 * A value of a rule. Instants are parameters, as they differ each time; all other values are written as literals, so
 * that the planner recognises the index that is made for them.
 */
const constant = (sql: SqlClient.SqlClient, type: Comparison["type"], value: Scalar): Fragment => {
  if (type === "timestamp") return sql`${new Date(Number(value))}::timestamptz`
  return sql.literal(typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : `${value}`)
}

const comparison = (sql: SqlClient.SqlClient, { operator, type, values }: Comparison, column: Fragment): Fragment => {
  const [value] = values
  if (operator === "not_in") {
    if (value === undefined) return sql.literal("TRUE")
    return sql`coalesce(${column} NOT IN ${list(sql, type, values)}, TRUE)`
  }
  if (value === undefined) return sql.literal("FALSE")
  if (operator === "in" && values.length > 1) return sql`${column} IN ${list(sql, type, values)}`
  if (typeof value === "boolean" && (operator === "in" || operator === "eq")) {
    return value ? column : sql`NOT ${column}`
  }
  const sign = operator === "in" ? operators.eq : operators[operator]
  return sql`${column} ${sql.literal(sign)} ${constant(sql, type, value)}`
}

const list = (sql: SqlClient.SqlClient, type: Comparison["type"], values: ReadonlyArray<Scalar>): Fragment =>
  sql`(${sql.csv(values.map((value) => constant(sql, type, value)))})`

/**
 * A rule of the domain as a condition on rows: true for those that the rule holds for, false or null for others. A rule
 * that depends on the time is given as it reads at an instant (`Rule.at`).
 */
export const ruleOf = (sql: SqlClient.SqlClient, rule: Rule, alias: string): Fragment => {
  switch (rule._tag) {
    case "Compared":
      return comparison(sql, rule, sql`${sql(`${alias}.${rule.column}`)}`)
    case "Given":
      return sql`${sql(`${alias}.${rule.column}`)} ${sql.literal(rule.given ? "IS NOT NULL" : "IS NULL")}`
    case "Every":
      return sql.and(rule.rules.map((each) => ruleOf(sql, each, alias)))
    case "Some":
      return rule.rules.length === 0 ? sql.literal("FALSE") : sql.or(rule.rules.map((each) => ruleOf(sql, each, alias)))
  }
}
