import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { startCommand } from '../command-process.ts'
import { makeDirectory } from '../durability/process.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { findSlapd, people, person, service, startSlapd } from '../slapd.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { assertAccessible, assertFitsWidth } from './console-driver.ts'
import {
  assertSignsOut,
  assertWrongPasswordShown,
  heading,
  isSignedIn,
  newPage,
  otherPassword,
  password,
  press,
  serveBehindProxy,
  servePage,
  startWithAda,
  submitSignIn,
} from './login-driver.ts'

const browser = await launchBrowser()
const skipDirectory = (await findSlapd()) === undefined && 'no slapd'

describe('the sign-in page in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
  concurrency: 2,
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  // With JavaScript in walk/sign-in.test.ts.
  describe('without JavaScript', () => {
    it('signs in and leads to return_to, on a path of its own origin', async (t) => {
      const { api } = await startWithAda(t)
      const page = await newPage(t, browser, { javaScriptEnabled: false })
      await page.goto(`${api}/login?return_to=${encodeURIComponent('/auth/docs/problems?a=b#sign_in_failed')}`)
      assert.equal(await submitSignIn(page), 303)
      assert.equal(page.url(), `${api}/docs/problems?a=b#sign_in_failed`)
      assert.equal(await isSignedIn(page, api), true)
    })

    it('shows what is wrong beside the form, keeps the name and drops the password', async (t) => {
      const { api } = await startWithAda(t)
      const page = await newPage(t, browser, { javaScriptEnabled: false })
      await page.goto(`${api}/login?return_to=/auth/docs/problems`)
      await assertWrongPasswordShown(page, api)
    })

    it('signs a command line in, on the same machine and with a code', async (t) => {
      const { api } = await startWithAda(t)
      const env = { HOME: makeDirectory(t), BROWSER: 'true' }
      const here = startCommand(['login', '--server', api, '--name', 'desk'], env)
      const narrow = await newPage(t, browser, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
      await narrow.goto(await said(here, /(http:\S+\/cli-login\/\S+)\n/))
      assert.equal(await submitSignIn(narrow), 303)
      assert.equal(await heading(narrow), 'Sign in the command line?')
      await assertAccessible(narrow, 'the request of a command line')
      await assertFitsWidth(narrow, 'the request of a command line')
      await narrow.getByRole('button', { name: 'Sign in the command line' }).click()
      await narrow.waitForURL(`${api}/cli-login/done`)
      assert.equal(await heading(narrow), 'The command line is signed in')
      assert.equal((await here.outcome).code, 0)
      const page = await newPage(t, browser, { javaScriptEnabled: false })
      const server = startCommand(['login', '--server', api, '--device', '--name', 'server'], env)
      const code = await said(server, /^ {4}(\S+)$/m)
      await page.goto(`${api}/cli-login`)
      await submitSignIn(page)
      await page.getByLabel('Code').fill('BBBB-BBBB')
      await press(page, 'Continue')
      assert.match(await page.locator('#message').innerText(), /This code is not valid/)
      await page.getByLabel('Code').fill(code)
      await press(page, 'Continue')
      assert.match(await page.locator('dl').innerText(), /server/)
      await press(page, 'Refuse')
      assert.equal(await heading(page), 'You refused')
      assert.equal((await server.outcome).code, 4)
    })

    it('signs out', async (t) => {
      const { api } = await startWithAda(t)
      const page = await newPage(t, browser, { javaScriptEnabled: false })
      await page.goto(`${api}/login`)
      await submitSignIn(page)
      assert.equal(await heading(page), 'You are signed in')
      await assertSignsOut(page, api)
    })
  })

  for (const javaScriptEnabled of [true, false]) {
    describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
      it('lets users who must change their password do only that first', async (t) => {
        const { app, api, user_id } = await startWithAda(t)
        await app.call('POST', `/users/${user_id}/password`, {
          body: { password: 'set by somebody else', must_change: true },
        })
        const page = await newPage(t, browser, { javaScriptEnabled })
        await page.goto(`${api}/login?return_to=/auth/docs/problems`)
        await submitSignIn(page, { password: 'set by somebody else' })
        assert.equal(await heading(page), 'Choose a new password')
        await page.goto(`${api}/login?return_to=/auth/docs/problems`)
        assert.equal(await heading(page), 'Choose a new password')
        const again = page.getByLabel('New password, again')
        // Without a script the typed password cannot be shown.
        assert.equal(await again.count(), javaScriptEnabled ? 0 : 1)
        const fill = async (chosen: string, repeated: string) => {
          await page.getByLabel('Current password', { exact: true }).fill('set by somebody else')
          await page.getByLabel('New password', { exact: true }).fill(chosen)
          if (!javaScriptEnabled) await again.fill(repeated)
          return press(page, 'Change password')
        }
        assert.equal(await fill('aaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaa'), 422)
        assert.match((await page.getByRole('alert').textContent()) ?? '', /too few different characters/)
        await page.getByRole('alert').getByRole('link').click()
        assert.equal(await page.locator(':focus').getAttribute('id'), 'new-password')
        if (!javaScriptEnabled) {
          assert.equal(await fill(otherPassword, `${otherPassword} `), 422)
          assert.match((await page.getByRole('alert').textContent()) ?? '', /not the same/)
        }
        assert.equal(await fill(otherPassword, otherPassword), 303)
        assert.equal(page.url(), `${api}/docs/problems`)
        assert.equal(await isSignedIn(page, api), true)
      })
    })
  }

  it('can be used with the keyboard alone, and shows where the focus is', async (t) => {
    const { api } = await startWithAda(t)
    const page = await newPage(t, browser)
    await page.goto(`${api}/login`)
    const focused = async () => {
      const of = 'document.activeElement'
      const outline = await page.evaluate<string>(`getComputedStyle(${of}).outlineStyle`)
      assert.equal(outline, 'solid', 'the focus cannot be seen')
      return page.evaluate<string>(`${of}.id || ${of}.getAttribute('aria-label') || ${of}.textContent.trim()`)
    }
    await page.locator('#username:focus').waitFor()
    await page.keyboard.type('ada')
    const order = []
    for (let steps = 0; steps < 3; steps++) {
      await page.keyboard.press('Tab')
      order.push(await focused())
      if (order.at(-1) === 'password') await page.keyboard.type(password)
    }
    assert.deepEqual(order, ['password', 'Show Password', 'Sign in'])
    const enter = async () => {
      const loaded = page.waitForEvent('load')
      await page.keyboard.press('Enter')
      await loaded
    }
    await enter()
    assert.equal(await heading(page), 'You are signed in')
    const further = []
    for (let steps = 0; steps < 4; steps++) {
      await page.keyboard.press('Tab')
      further.push(await focused())
    }
    assert.deepEqual(further, ['Continue to Rollbook', 'Your account', 'Change password', 'Sign out'])
    await enter()
    assert.equal(await heading(page), 'You are signed out')
  })

  it('shows the password on request, and hides it before it is sent', async (t) => {
    const { api } = await startWithAda(t)
    const page = await newPage(t, browser)
    await page.goto(`${api}/login`)
    const field = page.locator('#password')
    await page.locator('#username').fill('ada')
    await field.fill('wrong')
    await page.getByRole('button', { name: 'Show password' }).click()
    assert.equal(await field.getAttribute('type'), 'text')
    await page.getByRole('button', { name: 'Hide password' }).click()
    assert.equal(await field.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.evaluate(`document.forms[0].addEventListener('submit', (event) => event.preventDefault())`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    assert.equal(await field.getAttribute('type'), 'password')
  })

  it('fits every page into 320 px, readably, in the light and in the dark colour scheme', async (t) => {
    const env = { ROLLBOOK_PRODUCT_NAME: 'Unternehmensressourcenplanungssystem of Wonderland Ltd.' }
    const { app, api, user_id } = await startWithAda(t, env)
    await app.call('POST', `/users/${user_id}/password`, { body: { password, must_change: true } })
    const page = await newPage(t, browser, { viewport: { width: 320, height: 568 } })
    const look = async (title: string) => {
      assert.equal(await heading(page), title)
      for (const colorScheme of ['light', 'dark'] as const) await looksGood(page, colorScheme)
    }
    await page.goto(`${api}/login`)
    await look('Sign in')
    await submitSignIn(page, { password: 'wrong' })
    await look('Sign in')
    await submitSignIn(page)
    await look('Choose a new password')
    await page.getByLabel('Current password', { exact: true }).fill('not this one')
    await page.getByLabel('New password', { exact: true }).fill(otherPassword)
    assert.equal(await press(page, 'Change password'), 403)
    await look('Choose a new password')
    await app.call('POST', `/users/${user_id}/password`, { body: { password } })
    await page.goto(`${api}/login`)
    await submitSignIn(page)
    await look('You are signed in')
    await page.goto(`${api}/login?password_changed`)
    await look('You are signed in')
    await page.goto(`${api}/logout`)
    await look('Sign out?')
    // The layout without scripts, but with one, as axe needs it.
    await page.route('**/change-password', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replaceAll(/<.?noscript>/g, '') })
    })
    await page.goto(`${api}/change-password`)
    await look('Change password')
    assert.equal(await page.locator('#new-password-again').isVisible(), true)
    await page.goto(`${api}/logout`)
    await press(page, 'Sign out')
    await look('You are signed out')
  })

  it('is in Arabic from right to left, by keyboard alone and on 320 px, once it is chosen at the foot of the page', async (t) => {
    const { api } = await startWithAda(t)
    const viewport = { width: 320, height: 568 }
    const page = await newPage(t, browser, { viewport, locale: 'de-AT', allowed: /401/ })
    await page.goto(`${api}/login?return_to=${encodeURIComponent('/auth/login?password_changed')}`)
    assert.equal(await heading(page), 'Anmelden')
    const arabic = page.getByRole('link', { name: 'العربية' })
    for (let steps = 0; steps < 12 && !(await arabic.evaluate((link) => link.matches(':focus'))); steps++) {
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'تسجيل الدخول' }).waitFor()
    const look = async () => {
      for (const colorScheme of ['light', 'dark'] as const) await looksGood(page, colorScheme)
    }
    await look()
    const name = await page.locator('#username').boundingBox()
    const label = await page.getByRole('button', { name: 'إظهار: كلمة المرور' }).boundingBox()
    assert.ok(name && label && label.x < name.x + name.width / 2, 'the button is at the end of the line, on the left')
    await page.keyboard.type('ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not her password at all')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    assert.match((await page.getByRole('alert').textContent()) ?? '', /^فشل تسجيل الدخول/)
    await look()
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByText('تم تغيير كلمة مرورك.').waitFor()
    await look()
    // The choice is kept, without the address.
    await page.goto(`${api}/logout`)
    assert.equal(await heading(page), 'هل تريد تسجيل الخروج؟')
    await look()
  })

  it('asks for the name first where domains lead to a company, by keyboard alone, and for the password of a directory', {
    skip: skipDirectory,
  }, async (t) => {
    const slapd = await startSlapd()
    assert.ok(slapd)
    t.after(() => slapd.stop())
    const { app, api } = await startWithAda(t, { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' })
    const idp = await startIdentityProvider(t)
    idp.lies = { claims: { email: 'grace@hopper.example', email_verified: true } }
    const oidc = { kind: 'oidc', issuer: idp.issuer, client_id: clientId, client_secret: 'shared' }
    const ldap = {
      kind: 'ldap',
      servers: [slapd.url],
      bind_dn: service.dn,
      bind_password: service.password,
      user_base: people,
      user_filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
      emails_verified: true,
    }
    for (const body of [
      { ...oidc, name: 'Hopper', domains: ['hopper.example'], provisioning_domains: ['hopper.example'] },
      { ...ldap, name: 'Directory', domains: ['example.com'], provisioning_domains: ['example.com'] },
    ]) {
      const created = await app.call('POST', '/connections', { body })
      assert.equal(created.status, 201, created.text)
    }
    const page = await newPage(t, browser, { viewport: { width: 320, height: 568 }, allowed: /401/ })
    const look = async () => {
      for (const colorScheme of ['light', 'dark'] as const) await looksGood(page, colorScheme)
    }
    const enterName = async (name: string) => {
      await page.goto(`${api}/login`)
      await page.locator('#username:focus').waitFor()
      assert.equal(await page.locator('#password').count(), 0)
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${api}/login`)
    assert.deepEqual(await page.getByRole('button').allTextContents(), ['Continue'])
    await look()

    // A name without a company: the password is asked for next, with the focus in its field.
    await enterName('ada')
    await page.locator('#password:focus').waitFor()
    assert.equal(await page.locator('#username').inputValue(), 'ada')
    await look()
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await page.context().clearCookies()

    await enterName('grace@hopper.example')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    assert.equal(await isSignedIn(page, api), true)
    await page.context().clearCookies()

    await enterName('ada@example.com')
    await page.getByRole('heading', { name: 'Sign in with Directory' }).waitFor()
    await page.locator('#password:focus').waitFor()
    assert.equal(await page.getByLabel('Username or email address at Directory').inputValue(), 'ada@example.com')
    await page.locator('#username').fill('ada')
    await page.locator('#password').focus()
    await look()
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.locator('#password').inputValue(), '')
    await page.locator('#password:focus').waitFor()
    await look()
    await page.keyboard.type(person('ada').password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    assert.equal(await isSignedIn(page, api), true)
  })

  async function looksGood(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
    await page.emulateMedia({ colorScheme })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= 320, `it scrolls sideways, ${width} px`)
    const background = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const [red = 0] = background.match(/\d+/g)?.map(Number) ?? []
    assert.equal(red < 128 ? 'dark' : 'light', colorScheme)
    await assertAccessible(page, await page.title())
    for (const box of await page.locator('input:visible, button:visible, .action:visible').all()) {
      const { height = 0 } = (await box.boundingBox()) ?? {}
      assert.ok(height >= 40, `${await box.textContent()} is ${height} px high, too little for a finger`)
    }
  }

  it('redirects only to allowed origins, whatever the link says', async (t) => {
    const product = await servePage(t, (url) => `<title>product</title>${url}`)
    const evil = await servePage(t, () => '<title>evil</title>')
    const { api } = await startWithAda(t, { ROLLBOOK_RETURN_ORIGINS: product })
    const { host } = new URL(evil)
    const page = await newPage(t, browser)
    const landsOn = async (return_to: string) => {
      await page.context().clearCookies()
      await page.goto(`${api}/login?return_to=${encodeURIComponent(return_to)}`)
      await submitSignIn(page)
      const url = page.url()
      // Also if they are signed in already.
      await page.goto(`${api}/login?return_to=${encodeURIComponent(return_to)}`)
      assert.equal(page.url().split('?')[0], url.split('?')[0])
      return url
    }
    assert.equal(await landsOn(`${product}/reports?page=2`), `${product}/reports?page=2`)
    for (const return_to of [
      evil,
      `//${host}`,
      `/\\${host}`,
      `\\\\${host}`,
      `/\t/${host}`,
      `/.//${host}`,
      `/%2f${host}`,
      `${product}@${host}/`,
      `http:${host}`,
      `javascript:location='${evil}'`,
      `data:text/html,<script>location='${evil}'</script>`,
      `/\r\nlocation: ${evil}`,
    ]) {
      assert.equal(await landsOn(return_to), `${api}/login`, return_to)
    }
  })

  it('does not sign users in or out for a page of another site', async (t) => {
    const { api } = await startWithAda(t)
    const form = (action: string) => `<form method="post" action="${api}/${action}">
      <input name="username" value="ada"><input name="password" value="${password}"><button>Win</button></form>`
    const page = await newPage(t, browser)
    for (const host of ['127.0.0.1', 'localhost']) {
      const evil = (await servePage(t, (url) => form(url.slice(1)))).replace('127.0.0.1', host)
      await page.goto(`${evil}/login`)
      assert.equal(await press(page, 'Win'), 403)
      assert.equal(await heading(page), 'This form came from another site')
      assert.equal(await isSignedIn(page, api), false)
    }
    await page.goto(`${api}/login`)
    await submitSignIn(page)
    const evil = await servePage(t, () => form('logout'))
    await page.goto(evil)
    assert.equal(await press(page, 'Win'), 403)
    assert.equal(await isSignedIn(page, api), true)
  })

  it('uses Origin if nothing else says where a form comes from, as in older browsers', async (t) => {
    let target = ''
    const origin = await serveBehindProxy(t, {
      outside: '/auth',
      inside: '/auth',
      target: () => target,
      dropped: ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'],
    })
    const { api } = await startWithAda(t)
    target = new URL(api).origin
    const page = await newPage(t, browser)
    await page.goto(`${origin}/auth/login`)
    assert.equal(await submitSignIn(page), 303)
    assert.equal(await heading(page), 'You are signed in')
    const evil = await servePage(
      t,
      () => `<form method="post" action="${origin}/auth/logout"><button>Win</button></form>`,
    )
    await page.goto(evil)
    assert.equal(await press(page, 'Win'), 403)
  })

  it('is not shown inside a page of another site', async (t) => {
    const { api } = await startWithAda(t)
    const evil = await servePage(t, () => `<iframe src="${api}/login"></iframe>`)
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.goto(evil)
    await refused
    assert.equal(await page.frames()[1]?.locator('#password').count(), 0)
  })

  it('lets one browser sign out another', async (t) => {
    const { api } = await startWithAda(t)
    const signIn = async () => {
      const page = await newPage(t, browser)
      await page.goto(`${api}/login`)
      await submitSignIn(page)
      assert.equal(await isSignedIn(page, api), true)
      return page
    }
    const [here, there, elsewhere] = [await signIn(), await signIn(), await signIn()]
    const sessions = await (await here.context().request.get(`${api}/sessions`)).json()
    assert.equal(sessions.length, 3)
    const { session_id } = await (await there.context().request.get(`${api}/me`)).json()
    await here.goto(`${api}/docs`)
    const end = `fetch('sessions/${session_id}', { method: 'DELETE' }).then(({ status }) => status)`
    assert.equal(await here.evaluate(end), 200)
    assert.deepEqual([await isSignedIn(there, api), await isSignedIn(elsewhere, api)], [false, true])
    await there.reload()
    assert.equal(await heading(there), 'Sign in')

    await here.goto(`${api}/change-password`)
    await here.getByLabel('Current password', { exact: true }).fill(password)
    await here.getByLabel('New password', { exact: true }).fill(otherPassword)
    await press(here, 'Change password')
    assert.equal(await here.getByRole('status').textContent(), 'Your password was changed.')
    assert.deepEqual([await isSignedIn(here, api), await isSignedIn(elsewhere, api)], [true, false])
  })

  for (const [what, outside, inside] of [
    ['keeps the prefix', '/auth', '/auth'],
    ['strips the prefix', '/auth', ''],
    ['has another prefix', '/people', '/auth'],
  ] as const) {
    it(`works behind a proxy that ${what}, without any setting, at /login and at /login/`, async (t) => {
      let target = ''
      const origin = await serveBehindProxy(t, { outside, inside, target: () => target })
      const { api } = await startWithAda(t)
      target = new URL(api).origin
      const page = await newPage(t, browser)
      for (const slash of ['', '/']) {
        await page.goto(`${origin}${outside}/login${slash}?return_to=/reports`)
        const font = await page.evaluate<string>(`getComputedStyle(document.querySelector('h1')).fontWeight`)
        assert.equal(font, '650', 'its style is missing')
        assert.equal(await submitSignIn(page), 303)
        assert.equal(page.url(), `${origin}/reports`)
        await page.goto(`${origin}${outside}/login${slash}`)
        assert.equal(await heading(page), 'You are signed in')
        await page.getByRole('link', { name: 'Change password' }).click()
        assert.equal(await heading(page), 'Change password')
        await page.goto(`${origin}${outside}/logout${slash}`)
        await press(page, 'Sign out')
        assert.equal(await heading(page), 'You are signed out')
        await page.getByRole('link', { name: 'Sign in again' }).click()
        assert.equal(await heading(page), 'Sign in')
      }
    })
  }
})

/** Waits until a command says this on standard error. */
async function said({ child }: ReturnType<typeof startCommand>, expected: RegExp): Promise<string> {
  let text = ''
  child.stderr?.on('data', (part) => {
    text += part
  })
  await eventually('The command says where to sign in', () => expected.test(text))
  return expected.exec(text)?.[1] ?? ''
}
