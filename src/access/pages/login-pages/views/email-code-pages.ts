/** The pages on which a user asks for a code by email, and enters it. They work without scripts. */
import { html } from '../../../../lib/html.ts'
import { type Frame, hiddenReturnTo, type Message, type Page, page, withReturnTo } from './pages.ts'

type Asking = { username?: string; returnTo: string | undefined; fault?: Message | undefined }

export function askForCodePage(frame: Frame, { username = '', returnTo, fault }: Asking): Page {
  const { t } = frame
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  return page(
    frame,
    { title: t.emailCode.offer, fault },
    html`
<p class="quiet">${t.emailCode.intro}</p>
<form method="post" action="${frame.up}email-code">
${hiddenReturnTo(returnTo)}<div class="field">
<label for="username">${t.fields.username}</label>
<div class="control"><input id="username" name="username" type="text" dir="auto" value="${username}" autocomplete="username"
 autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required autofocus${described}></div>
</div>
<button class="action" type="submit">${t.emailCode.send}</button>
</form>
<a class="action second" href="${withReturnTo(`${frame.up}login`, returnTo)}">${t.page.backToSignIn}</a>`,
  )
}

type Entering = { challenge_id: string; username: string; returnTo: string | undefined; fault?: Message | undefined }

/** The same for names that exist and names that do not. */
export function enterCodePage(frame: Frame, { challenge_id, username, returnTo, fault }: Entering): Page {
  const { t } = frame
  const hint = fault === undefined ? 'code-hint' : 'message code-hint'
  const invalid = fault && html` aria-invalid="true"`
  return page(
    frame,
    { title: t.links.sent, fault, isOnce: true },
    html`
<p>${t.emailCode.sentDetail}</p>
<form method="post" action="${frame.up}email-code">
${hiddenReturnTo(returnTo)}<input type="hidden" name="challenge_id" value="${challenge_id}">
<input type="hidden" name="username" value="${username}">
<div class="field">
<label for="code">${t.emailCode.field}</label>
<div class="control"><input id="code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code"
 autocorrect="off" spellcheck="false" maxlength="32" required autofocus aria-describedby="${hint}"${invalid}></div>
<p id="code-hint">${t.emailCode.hint}</p>
</div>
<button class="action" type="submit">${t.signIn.submit}</button>
</form>
<form class="beside" method="post" action="${frame.up}email-code">
${hiddenReturnTo(returnTo)}<input type="hidden" name="username" value="${username}">
<button class="action second" type="submit">${t.emailCode.sendAgain}</button>
</form>
<p class="foot quiet small">${t.emailCode.help} <a href="${withReturnTo(`${frame.up}login`, returnTo)}">${t.page.backToSignIn}</a></p>`,
  )
}
