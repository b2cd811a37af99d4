/**
 * The page's one script, as it is sent: a search over everything on the page, buttons that copy, samples in the chosen
 * language, and contents that open where the reader is. Without it the page has all its text and links.
 */
export const script = `(() => {
"use strict"
const element = (name, attributes, ...inside) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...inside)
  return made
}
const contents = document.getElementById("contents")
const groups = [...contents.querySelectorAll("details")]
const links = [...contents.querySelectorAll("a")]
const targetOf = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))
const said = element("p", { class: "said", role: "status" })
document.body.append(said)

// Search.
const wordsIn = (text) => text.toLowerCase().split(/\\s+/).filter(Boolean)
let index
const indexed = () => index ??= links.map((link) => ({
  link,
  title: link.textContent.toLowerCase() + " " + link.hash.toLowerCase(),
  text: targetOf(link).closest("section").textContent.toLowerCase(),
  group: link.closest("details").querySelector("summary").textContent
}))
const found = (words) => {
  const all = indexed().filter(({ text, title }) => words.every((word) => title.includes(word) || text.includes(word)))
  const titled = all.filter(({ title }) => words.every((word) => title.includes(word)))
  return [...titled, ...all.filter((each) => !titled.includes(each))]
}
const input = element("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false" })
const results = element("ul", { class: "results", hidden: "" })
const search = () => {
  const words = wordsIn(input.value)
  const hits = words.length === 0 ? [] : found(words)
  results.replaceChildren(...hits.map(({ group, link }) =>
    element("li", {}, element("a", { href: link.hash }, link.textContent, " ", element("span", {}, group)))))
  results.hidden = words.length === 0
  for (const group of groups) group.hidden = words.length > 0
  said.textContent = words.length === 0 ? "" : hits.length === 0 ? "Nothing found" : hits.length + " found"
  results.dataset.empty = hits.length === 0 ? "Nothing found." : ""
}
input.addEventListener("input", search)
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") results.querySelector("a")?.click()
  if (event.key !== "Escape") return
  input.value = ""
  search()
})
contents.prepend(element("div", { class: "search", role: "search" }, element("label", { for: "search" }, "Search"), input), results)

// Copying.
const copied = async (text) => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = element("textarea", { readonly: "" })
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand("copy")
  area.remove()
  if (!done) throw new Error("not copied")
}
for (const block of document.querySelectorAll("pre")) {
  const button = element("button", { type: "button", class: "copy" }, "Copy")
  button.addEventListener("click", async () => {
    const told = await copied(block.textContent).then(() => "Copied", () => "Not copied")
    button.textContent = said.textContent = told
    setTimeout(() => { button.textContent = "Copy" }, 2000)
    button.focus()
  })
  const framed = element("div", { class: "framed" })
  block.replaceWith(framed)
  framed.append(block, button)
}

// One language for all samples; what was clicked stays where it is on the screen.
const samples = [...document.querySelectorAll("details.sample")]
for (const sample of samples) {
  sample.querySelector("summary").addEventListener("click", (event) => {
    event.preventDefault()
    const { language } = sample.dataset
    const opened = !sample.open
    const before = sample.getBoundingClientRect().top
    for (const each of samples) each.open = opened && each.dataset.language === language
    scrollBy(0, sample.getBoundingClientRect().top - before)
  })
}

// The contents follow the reader, where they stand beside the text.
let current
let openedHere
const follow = () => {
  const passed = links.filter((link) => targetOf(link).getBoundingClientRect().top < 120)
  const link = passed.length === 0 ? links[0] : passed.reduce((a, b) =>
    targetOf(a).getBoundingClientRect().top > targetOf(b).getBoundingClientRect().top ? a : b)
  if (link === current) return
  current?.removeAttribute("aria-current")
  current = link
  link.setAttribute("aria-current", "location")
  if (getComputedStyle(contents).position !== "sticky") return
  const group = link.closest("details")
  if (openedHere !== undefined && openedHere !== group) openedHere.open = false
  if (!group.open) {
    group.open = true
    openedHere = group
  }
  const [place, frame] = [link.getBoundingClientRect(), contents.getBoundingClientRect()]
  if (place.top < frame.top || place.bottom > frame.bottom) contents.scrollTop += place.top - frame.top - frame.height / 2
}
let waiting = false
addEventListener("scroll", () => {
  if (waiting) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    follow()
  })
}, { passive: true })
follow()
})()`
