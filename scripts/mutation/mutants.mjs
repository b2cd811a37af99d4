import { parseAst } from "vitest/node"

/**
 * Finds the mutants of a source file, and writes the file with all of them in it: each place asks `__mutant(n)` whether
 * its mutant is the one that is switched on.
 */

const operators = new Map([
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["&&", ["||"]],
  ["||", ["&&"]],
  ["+", ["-"]],
  ["-", ["+"]],
  ["*", ["/"]],
  ["/", ["*"]],
  ["%", ["*"]]
])

/**
 * Properties that are prose, which a printed reference shows; that name a type, which the compiler checks; or that drive
 * generators.
 */
const prose = new Set([
  "arbitraryConstraint",
  "by",
  "commonMeanings",
  "deprecated",
  "description",
  "expected",
  "format",
  "identifier",
  "kind",
  "meanings",
  "message",
  "name",
  "rule",
  "title",
  "when"
])

const isNode = (value) => typeof value === "object" && value !== null && typeof value.type === "string"

const isString = (node) => node?.type === "Literal" && typeof node.value === "string"

/** What is read by people and by nothing else. */
const isProse = (node) => node.value.trim().includes(" ")

const isText = (node) => isString(node) || node?.type === "TemplateLiteral"

const isSimpleCondition = (node) => ["CallExpression", "Identifier", "MemberExpression"].includes(node.type)

const keyOf = (property) => property.key?.name ?? property.key?.value

class Finder {
  constructor(text) {
    this.text = text
    this.found = []
  }

  source(node) {
    return this.text.slice(node.start, node.end)
  }

  add(node, replacement, kind = "expression") {
    this.found.push({ start: node.start, end: node.end, kind, original: this.source(node), replacement })
  }

  visit(node, within) {
    if (Array.isArray(node)) for (const each of node) this.visit(each, within)
    if (!isNode(node) || this.isTyping(node)) return
    if (node.type === "VariableDeclarator" && prose.has(node.id.name)) return
    this.mutate(node, within)
    if (node.type === "Property" || node.type === "PropertyDefinition") {
      if (node.computed) this.visit(node.key, within)
      if (!prose.has(keyOf(node)))
        this.visit(node.value, { ...within, key: keyOf(node), patch: within.patch || keyOf(node) === "patch" })
      return
    }
    for (const [name, child] of Object.entries(node)) {
      if (name === "property" && node.type === "MemberExpression" && !node.computed) continue
      const called = name === "arguments" && (node.type === "CallExpression" || node.type === "NewExpression")
      if (called && node.callee.property?.name === "annotate") continue
      this.visit(child, called || name === "left" || name === "right" ? { ...within, argument: true } : within)
    }
  }

  isTyping(node) {
    if (/^(Import|ExportAll)/.test(node.type) && node.type !== "ImportExpression") return true
    if (node.type === "ExportNamedDeclaration" && node.source != null) return true
    return node.type.startsWith("TS") && !/^TS(As|Satisfies|NonNull)Expression$/.test(node.type)
  }

  mutate(node, within) {
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression":
        if (node.operator === "+" && (isText(node.left) || isText(node.right))) return
        for (const operator of operators.get(node.operator) ?? []) {
          this.add(node, `${this.source(node.left)} ${operator} ${this.source(node.right)}`)
        }
        return
      case "UnaryExpression":
        if (node.operator === "!" || (node.operator === "-" && node.argument.type !== "Literal")) {
          this.add(node, this.source(node.argument))
        }
        return
      case "Literal":
        this.literal(node, within)
        return
      case "ArrayExpression":
        if (node.elements.length > 0) this.add(node, "[]")
        return
      case "IfStatement":
      case "ConditionalExpression":
        if (isSimpleCondition(node.test)) this.add(node.test, `!(${this.source(node.test)})`)
        return
      case "ObjectExpression":
        for (const property of node.properties) this.property(property, within)
    }
  }

  literal(node, within) {
    if (typeof node.value === "boolean") this.add(node, String(!node.value))
    else if (typeof node.value === "number") this.add(node, `${this.source(node)} + 1`)
    else if (isString(node) && !isProse(node) && !within.argument && !within.list) {
      const other = within.key === "to" ? this.statuses.find((status) => status !== node.value) : ""
      if (node.value !== "" && other !== undefined) this.add(node, JSON.stringify(other))
    }
  }

  property(property, within) {
    if (property.type !== "Property") return
    const { value } = property
    const key = keyOf(property)
    if (key === "guard") {
      this.add(value, "() => true")
      this.add(value, `(...given) => !(${this.source(value)})(...given)`)
    } else if (key === "patch") this.add(value, "() => ({})")
    else if (within.patch) this.add(property, "", "property")
    if (key === "from" && value.type === "ArrayExpression" && value.elements.length > 1) {
      for (const left of value.elements) {
        const others = value.elements.filter((each) => each !== left)
        this.add(value, `[${others.map((each) => this.source(each)).join(", ")}]`)
      }
    }
  }

  find(path) {
    const program = parseAst(this.text, { lang: "ts" }, path)
    this.statuses = [...this.text.matchAll(/\bto: "([^"]+)"/g)].map(([, status]) => status)
    this.visit(program, { key: undefined, patch: false, argument: false, list: false })
    return this.found
  }
}

const lineOf = (text, offset) => text.slice(0, offset).split("\n").length

/** The mutants of a file, numbered from `first`. */
export const mutantsOf = (path, text, first) =>
  new Finder(text)
    .find(path)
    .sort((one, other) => one.start - other.start || other.end - one.end)
    .map((mutant, index) => {
      const line = lineOf(text, mutant.start)
      return { ...mutant, id: first + index, file: path, line, source: text.split("\n")[line - 1].trim() }
    })

const spansOf = (mutants) => {
  const spans = new Map()
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end}`
    const span = spans.get(key) ?? { start: mutant.start, end: mutant.end, mutants: [] }
    span.mutants.push(mutant)
    spans.set(key, span)
  }
  return [...spans.values()].sort((one, other) => one.start - other.start || other.end - one.end)
}

/** The file with every mutant in it, switched off. */
export const schemataOf = (text, mutants) => {
  const spans = spansOf(mutants)
  let next = 0
  const render = (start, end) => {
    let written = ""
    let position = start
    while (next < spans.length && spans[next].start < end) {
      const span = spans[next++]
      written += text.slice(position, span.start)
      const inner = render(span.start, span.end)
      const removals = span.mutants.filter(({ kind }) => kind === "property")
      const choices = span.mutants.filter(({ kind }) => kind !== "property")
      const whole = choices.map(({ id, replacement }) => `__mutant(${id}) ? (${replacement}) : `).join("")
      if (removals.length > 0) written += `...(__mutant(${removals[0].id}) ? {} : { ${inner} })`
      else written += `(${whole}(${inner}))`
      position = span.end
    }
    return written + text.slice(position, end)
  }
  return render(0, text.length)
}
