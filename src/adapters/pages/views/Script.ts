/**
 * What a script adds to the pages; each of them works without it. Another amount is chosen by typing it, the total of a set
 * follows what is typed, a button is pressed once, a page that waits looks again by itself, and the summary of errors takes
 * the focus. In the frame of another site a page says how tall it is, and how its gift goes, to the origin that its address names:
 * only a site that may frame the page can hear it.
 */
export const script = `(()=>{const d=document,q=(s)=>d.querySelector(s)
const other=q("#amount_other"),radio=q('input[name=amount][value=other]')
if(other&&radio)other.addEventListener("input",()=>{if(other.value)radio.checked=true})
const total=q("[data-total]")
if(total){const parts=[...d.querySelectorAll("[data-part]")],money=new Intl.NumberFormat(d.documentElement.lang,{style:"currency",currency:total.dataset.total,trailingZeroDisplay:"stripIfInteger"})
const sum=()=>{const all=parts.map((part)=>/^\\d+(\\.\\d{1,2})?$/.test(part.value.trim())?Number(part.value):NaN),whole=all.reduce((a,b)=>a+b,0);total.textContent=isNaN(whole)?"":money.format(whole)}
for(const part of parts)part.addEventListener("input",sum)}
for(const form of d.forms)form.addEventListener("submit",(event)=>{if(form.dataset.sent)event.preventDefault();form.dataset.sent="1";setTimeout(()=>delete form.dataset.sent,10000)})
addEventListener("pageshow",()=>{for(const form of d.forms)delete form.dataset.sent})
const summary=q("[data-focus]");if(summary)summary.focus()
const waits=q("[data-waits]")
if(waits){let wait=1500;const look=async()=>{try{const answer=await fetch(location.href,{method:"HEAD"});if(answer.headers.get("x-state")!==waits.dataset.waits)return location.reload()}catch{}
wait=Math.min(wait*1.5,30000);setTimeout(look,wait)};setTimeout(look,wait)}
const site=new URLSearchParams(location.search).get("origin")
if(site&&parent!==window)try{let first=true
const tell=(type,more)=>parent.postMessage({type,...more},site)
new ResizeObserver(()=>{tell("almoner:size",{first,height:d.documentElement.offsetHeight});first=false}).observe(d.documentElement)
const outcome=q("[data-outcome]")
if(outcome){tell("almoner:submitted");if(outcome.dataset.outcome==="SUCCEEDED")tell("almoner:completed")}}catch{}
})()`
