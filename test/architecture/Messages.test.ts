import { assert, describe, it } from "@effect/vitest"
import { broken } from "../support/Sentences.ts"
import { readCheckout } from "./Checkout.ts"
import { isNode, lineAt, type Node, nameOf, type Place, places, type SourceFile } from "./Syntax.ts"

/** Where what callers are told is written down. */
const spoken = /^src\/(?:domain|app|facade|adapters\/http)\/(?!reference\/)/

/** Functions whose arguments are messages. */
const tellers = new Set(["invalid", "malformed", "refused", "duplicateInvalid", "unknownParam"])

const isMessage = ({ key, parent }: Place): boolean => {
  if (parent === null) return false
  if (parent.type === "Property")
    return key === "value" && /^(?:message|instead|why)$/.test(nameOf(parent["key"]) ?? "")
  if (parent.type === "VariableDeclarator")
    return key === "init" && /^(?:message|\w+Message)$/.test(nameOf(parent["id"]) ?? "")
  return parent.type === "CallExpression" && key === "arguments" && tellers.has(nameOf(parent["callee"]) ?? "")
}

/** The text of a template. An expression at its end is taken for the end of a sentence. */
const quasisOf = ({ quasis }: Node): string | null => {
  if (!Array.isArray(quasis)) return null
  const text = quasis.map((each) => String(each.value.cooked)).join("x")
  return quasis.length > 1 && quasis.at(-1).value.cooked === "" ? `${text}.` : text
}

/** The texts that an expression may come to. */
const textsOf = (node: Node): ReadonlyArray<string> => {
  if (node.type === "ConditionalExpression") {
    return [node["consequent"], node["alternate"]].filter(isNode).flatMap(textsOf)
  }
  const text = node.type === "TemplateLiteral" ? quasisOf(node) : node.type === "Literal" ? nameOf(node) : null
  return text === null ? [] : [text]
}

/** A text of one word is the name of an input. */
const messagesOf = (file: SourceFile) =>
  places(file)
    .filter(isMessage)
    .flatMap(({ node }) =>
      textsOf(node).map((text) => ({ text, where: `${file.path}:${lineAt(file.text, node.start)}` }))
    )
    .filter(({ text }) => /\s/.test(text.trim()))

describe("messages", () => {
  const messages = readCheckout()
    .filter(({ path }) => spoken.test(path) && path.endsWith(".ts"))
    .flatMap(messagesOf)

  it("are whole sentences in words of people, wherever they are written down", () => {
    assert.isAbove(messages.length, 80)
    assert.deepStrictEqual(
      messages.flatMap(({ text, where }) => (broken(text) === null ? [] : [`${where} ${broken(text)}: ${text}`])),
      []
    )
  })

  it.each([
    ["No full stop", "it does not end with a full stop"],
    ["Donation: RefundPart is allowed only when it is.", "a name of the program"],
    ["It is over (Introduction).", "a machine in brackets"],
    ["Introduction: it is over.", "a machine in front"],
    ["The command 'Resend' is refused.", "a command in quotes"],
    ["This is allowed only when it is.", "a condition of a table"],
    ["There is no undefined.", "a value that is none"],
    ["It has at most 1 characters.", "a wrong plural"],
    ["An end..", "it is not set as a sentence"],
    ["Wait 1 s. This 1 is one.", null]
  ])("are judged: %s", (text, found) => {
    assert.strictEqual(broken(text), found)
  })
})
