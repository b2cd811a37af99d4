/**
 * What stands for Stripe's script: a field of its own into which a token is typed, instead of a card's number, and the button of a
 * wallet where the browser has one (`window.wallet`). It refuses what the real one does: a token of elements that were not
 * submitted, two elements of a kind in one group, wallets without cards, options and events that it does not know. Its methods are
 * those that the page uses, by Stripe's reference of the browser's library.
 */
export const browserScript = `const only = (what, given, known) => {
  const strange = Object.keys(given ?? {}).find((key) => !known.includes(key))
  if (strange !== undefined) throw new Error(what + " does not know " + strange)
}
const events = { payment: ["ready", "loaderror"], expressCheckout: ["ready", "confirm", "loaderror"] }
const fieldOf = (types, tell, options) => only("the field", options, ["paymentMethodOrder"]) ?? ({
  mount: (place) => {
    const input = document.createElement("input")
    input.id = "number"
    input.setAttribute("aria-label", types.includes("card") ? "Card number" : "Account number of the bank")
    document.querySelector(place).append(input)
    // It comes in parts, and asks for more while it is filled in.
    const grow = () => {
      const more = document.createElement("div")
      more.style.height = (window.tall ?? 180) + "px"
      more.dataset.more = ""
      document.querySelector(place).append(more)
    }
    document.body.dataset.order = options.paymentMethodOrder
    setTimeout(() => (grow(), setTimeout(() => tell("ready", { elementType: "payment" }), 50)), 150)
    input.addEventListener("input", grow, { once: true })
  },
  token: () => {
    const typed = document.querySelector("#number").value.replaceAll(" ", "")
    if (typed === "") return { error: { message: "Your card number is incomplete." } }
    return { id: typed === "4242424242424242" ? "pm_card_visa" : typed, type: types[0] }
  }
})
const walletOf = (types, tell, options) => {
  only("the wallets", options, ["buttonHeight", "buttonTheme", "buttonType", "layout", "paymentMethodOrder", "paymentMethods"])
  let asked = false
  return {
    mount: (place) => setTimeout(() => {
      const isThere = window.wallet !== undefined && types.includes("card")
      tell("ready", { elementType: "expressCheckout", availablePaymentMethods: isThere ? { applePay: true, googlePay: false } : undefined })
      if (!isThere) return
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = "Donate with Apple Pay"
      button.onclick = () => {
        asked = true
        tell("confirm", { expressPaymentType: "apple_pay", paymentFailed: (why) => { document.body.dataset.failed = why.reason } })
      }
      document.querySelector(place).append(button)
    }, 100),
    destroy: () => {},
    token: () => {
      if (!asked) throw new Error("nobody approved")
      return { id: window.wallet, type: "card" }
    }
  }
}
window.Stripe = (key) => {
  if (!["pk_live_1", "pk_test_1"].includes(key)) throw new Error("a strange key")
  return {
    elements: ({ amount, currency, mode, onBehalfOf, paymentMethodTypes, ...more }) => {
      if (mode !== "payment" || amount !== 5000 || currency !== "aud" || onBehalfOf !== "acct_1") throw new Error("strange elements")
      if (paymentMethodTypes.some((type) => !["card", "au_becs_debit", "payto"].includes(type))) throw new Error("no such method")
      only("the elements", more, ["setupFutureUsage", "locale", "appearance"])
      const made = new Map()
      let isSubmitted = false
      return {
        create: (kind, options) => {
          if (made.has(kind)) throw new Error("there is one already")
          const heard = new Map()
          const tell = (event, facts) => heard.get(event)?.(facts)
          const element = kind === "payment" ? fieldOf(paymentMethodTypes, tell, options) : walletOf(paymentMethodTypes, tell, options)
          made.set(kind, element)
          return { ...element, on: (event, run) => {
            if (!events[kind].includes(event)) throw new Error("a strange event")
            heard.set(event, run)
          } }
        },
        submit: async () => {
          const { error } = [...made.values()][0].token()
          isSubmitted = error === undefined
          return error === undefined ? {} : { error }
        },
        token: () => {
          if (!isSubmitted) throw new Error("submit the elements first")
          return [...made.values()][0].token()
        }
      }
    },
    createConfirmationToken: async ({ elements }) => {
      const { id, type } = elements.token()
      return { confirmationToken: { id, payment_method_preview: { type } } }
    },
    handleNextAction: ({ clientSecret }) => {
      document.body.dataset.asked = clientSecret
      return window.approveAtBank === undefined ? new Promise(() => {}) : window.approveAtBank(clientSecret).then((said) => said ?? {})
    }
  }
}`
