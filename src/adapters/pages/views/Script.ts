/**
 * What a script adds to the pages; each of them works without it. Another amount is chosen by typing it, and left out by choosing
 * one that is suggested, a button is pressed once, a page that waits looks again by itself, and stays as it is while something
 * else answers for the service, and the summary of errors takes the focus. In the frame of another site a page says how tall it
 * is, and how its gift goes, to the origin that its address names: only a site that may frame the page can hear it.
 */
export const script = `(()=>{const d=document,q=(s)=>d.querySelector(s)
const other=q("#amount_other"),radio=q('input[name=amount][value=other]')
if(other&&radio){other.addEventListener("input",()=>{if(other.value)radio.checked=true})
for(const each of d.querySelectorAll("[name=amount]"))each.addEventListener("change",()=>{if(!radio.checked)other.value=""})}
for(const form of d.forms)form.addEventListener("submit",(e)=>{if(form.dataset.sent)e.preventDefault();form.dataset.sent="1";setTimeout(()=>delete form.dataset.sent,1e4)})
addEventListener("pageshow",()=>{for(const form of d.forms)delete form.dataset.sent})
const summary=q("[data-focus]");if(summary)summary.focus()
const waits=q("[data-waits]")
if(waits){let wait=1500;const look=async()=>{try{const {headers,status}=await fetch(location.href,{method:"HEAD"}),state=headers.get("x-state");if(state?state!==waits.dataset.waits:status===404)return location.reload()}catch{}
wait=Math.min(wait*1.5,3e4);setTimeout(look,wait)};setTimeout(look,wait)}
const site=new URLSearchParams(location.search).get("origin")
if(site&&parent!==window)try{let first=true
const tell=(type,more)=>parent.postMessage({type,...more},site)
new ResizeObserver(()=>{tell("almoner:size",{first,height:d.documentElement.offsetHeight});first=false}).observe(d.documentElement)
const outcome=q("[data-outcome]")
if(outcome){tell("almoner:submitted");if(outcome.dataset.outcome==="SUCCEEDED")tell("almoner:completed")}}catch{}
})()`

/**
 * Has the total of a set follow what is typed, in whichever digits and with whichever marks: an amount that the service would not
 * read leaves it empty.
 */
export const totalScript = `(()=>{const d=document,total=d.querySelector("[data-total]"),parts=[...d.querySelectorAll("[data-part]")]
const money=new Intl.NumberFormat(d.documentElement.lang,{style:"currency",currency:total.dataset.total,currencyDisplay:d.dir==="rtl"?"code":"symbol",trailingZeroDisplay:"stripIfInteger"})
const isDigit=(code)=>/\\p{Nd}/u.test(String.fromCodePoint(code))
const digit=(shown)=>{const code=shown.codePointAt(0);let zero=code;while(isDigit(zero-1))zero--;return(code-zero)%10}
const read=(typed)=>{let text=typed.normalize("NFKC").replace(/\\p{Nd}/gu,digit).replaceAll("٫",".").replaceAll("٬",",").trim()
if(/\\p{No}/u.test(typed)||/\\.\\d{3}/.test(text))return NaN
text=/,\\d{1,2}$/.test(text)?text.replaceAll(".","").replace(",","."):text.replaceAll(",","")
return/^(\\p{L}{0,3} ?\\p{Sc}?) ?(\\d[\\d\\s]*(\\.\\d{0,2})?|\\.\\d{1,2})$/u.test(text)?Number(text.replace(/[^\\d.]/g,"")):NaN}
const sum=()=>{const whole=parts.reduce((all,part)=>all+read(part.value),0);total.textContent=isNaN(whole)?"":money.format(whole)}
for(const part of parts)part.addEventListener("input",sum)
sum()})()`
