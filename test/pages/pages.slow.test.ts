import { describePages } from "./PageSuite.ts"

describePages({
  javaScriptEnabled: true,
  looks: ["with scripts", "without scripts", "in Arabic", "in a language of longer words"],
  isWhole: true
})
