import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { env, failures, type Jar, signIn } from '../company.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { signingKey } from '../saml-provider.ts'
import { assertAccessible, assertFitsWidth, assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const step = (page: Page, name: string) =>
  page.locator('[aria-current=step]').getByText(name, { exact: true }).waitFor()
const ada = {
  sub: 'okta-1',
  email: 'ada@example.com',
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  // A claim that is in no ID token is looked for in the UserInfo, and one missing there too is a failure of its own.
  groups: [],
}

describe('company sign-in in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('sets up a provider of OpenID Connect from the first press to a sign-in, and shows why one failed', async (t) => {
    const idp = await startIdentityProvider(t)
    const { app, api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, path: 'sign-in-connections' })
    await page.getByText('Users sign in with their password only.').waitFor()
    await page.keyboard.press('c')
    await heading(page, 'Connect identity provider').waitFor()
    await page.getByRole('combobox', { name: 'Provider' }).selectOption('oidc okta')
    assert.equal(await field(page, 'Name').inputValue(), 'Okta')
    await field(page, 'Name').fill('Example Inc.')
    await page.keyboard.press('Enter')

    await step(page, 'Set up in Okta')
    const [connection] = (await app.call('GET', '/connections')).body
    assert.deepEqual([connection.active, connection.preset, connection.issuer], [false, 'okta', undefined])
    await page.getByText(connection.redirect_uri, { exact: true }).waitFor()
    await page.getByText(connection.global_token_revocation_uri, { exact: true }).waitFor()
    // Okta has no field for it.
    assert.equal(await page.getByText(connection.backchannel_logout_uri, { exact: true }).count(), 0)
    const guide = await page.getByRole('link', { name: 'Guide' }).getAttribute('href')
    assert.equal(guide, `${api}/docs#guide-sign-in-okta`)
    // A reload continues with the same connection.
    await page.reload()
    await heading(page, 'Set up Example Inc.').waitFor()
    await field(page, 'Issuer').fill('https://example-admin.okta.com/admin')
    await page.getByText('This is the address of the provider’s administration.').waitFor()
    await button(page, 'Use https://example.okta.com').click()
    assert.equal(await field(page, 'Issuer').inputValue(), 'https://example.okta.com')
    await assertLooksGood(page, 'the values to copy and to paste')
    await field(page, 'Issuer').fill('http://id.example.com')
    await field(page, 'Client ID').fill(clientId)
    await page.getByLabel('Client secret', { exact: true }).fill('shared')
    await button(page, 'Continue').click()
    await page.getByText('The issuer must use https.').waitFor()
    await field(page, 'Issuer').fill(idp.issuer)
    await button(page, 'Continue').click()

    await step(page, 'Who may sign in')
    await field(page, 'Create users with these domains').fill('example.com')
    await button(page, 'More settings').click()
    await field(page, 'Claim with roles').fill('groups')
    await button(page, 'Add: Roles by value').click()
    await field(page, 'Value 1').fill('rollbook-admins')
    await page.getByRole('combobox', { name: 'Role 1' }).selectOption('admin')
    await button(page, 'Continue').click()

    await step(page, 'Test')
    // Finished steps can be opened again. Before the test, Activate says what is missing.
    await button(page, 'Who may sign in').click()
    await step(page, 'Who may sign in')
    await button(page, 'Test').click()
    await button(page, 'Activate').click()
    const asking = page.getByRole('dialog', { name: 'Activate Example Inc.?' })
    await asking.getByText('No one has tried it with a test sign-in.').waitFor()
    assert.equal(await asking.getByRole('listitem').count(), 1)
    await page.keyboard.press('Escape')
    // The real sign-in, before the connection is active.
    idp.lies = { claims: ada }
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Test sign-in in a new tab' }).click()
    const tab = await opened
    await heading(tab, 'The test is complete').waitFor()
    await tab.getByText('A user would be created, and would sign in.').waitFor()
    await tab.getByRole('row').filter({ hasText: 'email_verified' }).getByText('true', { exact: true }).waitFor()
    await assertAccessible(tab, 'the result of the test sign-in')
    await tab.setViewportSize({ width: 320, height: 640 })
    await assertFitsWidth(tab, 'the result of the test sign-in')
    await tab.close()
    await page.getByText('A new user is created and signs in.').waitFor()
    assert.equal((await app.call('GET', '/users')).body.length, 1)
    await button(page, 'Test claims').click()
    await page.getByRole('status').getByText('A new user is created and signs in.').waitFor()
    await page.getByRole('row').filter({ hasText: 'email_verified' }).getByText('true', { exact: true }).waitFor()
    await field(page, 'Claims').fill(JSON.stringify({ ...ada, groups: ['rollbook-admins'] }))
    await button(page, 'Test claims').click()
    await page.getByText('The mapping gives the role admin').waitFor()
    await field(page, 'Claims').fill(JSON.stringify({ ...ada, email_verified: 'yes' }))
    await button(page, 'Test claims').click()
    await page.getByText('The sign-in is refused.').waitFor()
    await field(page, 'Claims').fill('{')
    await page.getByText('This is not a JSON object.').waitFor()
    assert.equal((await app.call('GET', '/users')).body.length, 1)
    await assertAccessible(page, 'the test')

    await button(page, 'Activate').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Example Inc. is active.').waitFor()
    idp.lies = { claims: { ...ada, email_verified: false } }
    assert.equal((await signIn(app, idp, connection)).status, 409)
    const failed = page.getByRole('row').filter({ hasText: 'The email address is not verified' })
    await failed.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('row').filter({ hasText: 'email_verified' }).getByText('false', { exact: true }).waitFor()
    idp.lies = { claims: ada }
    const jar: Jar = new Map()
    assert.equal((await signIn(app, idp, connection, jar)).status, 303)
    assert.equal((await failures(app, connection)).length, 2)

    await page.getByRole('link', { name: 'Show the connection' }).click()
    await heading(page, 'Example Inc.').waitFor()
    await page.getByText('1 user', { exact: true }).waitFor()
    // Its provisioning belongs to the same company.
    await button(page, 'Set up provisioning').click()
    const creating = page.getByRole('dialog', { name: 'Connect identity provider' })
    assert.equal(await creating.getByRole('textbox', { name: 'Name' }).inputValue(), 'Example Inc.')
    assert.equal(await creating.getByRole('combobox').inputValue(), 'okta')
    await creating.getByRole('button', { name: 'Connect', exact: true }).click()
    const created = page.getByRole('dialog', { name: 'Example Inc. can connect now' })
    await created.getByText('SCIM connector base URL').waitFor()
    await assertAccessible(page, 'the steps of provisioning')
    await created.getByRole('button', { name: 'Open connection' }).click()
    await page.getByRole('region', { name: 'Company sign-in' }).getByRole('link', { name: 'Example Inc.' }).click()
    await page.getByRole('region', { name: 'Provisioning (SCIM)' }).getByText('0 managed users').waitFor()
    for (const [language, meaning, advice] of [
      [
        'de',
        'Die Adresse ist nicht als bestätigt angegeben.',
        /Der Anbieter gibt nicht an, dass die Adresse bestätigt ist/,
      ],
      ['ar', 'لا يُذكر أن العنوان مؤكَّد.', /لا يذكر المزوّد أن العنوان مؤكَّد/],
    ] as const) {
      await page.evaluate(`document.cookie = 'rollbook-language=${language}; Path=/'`)
      await page.reload()
      const row = page.locator('main tr').filter({ hasText: advice }).first()
      await row.getByRole('button').click()
      await page.getByText(meaning).waitFor()
      assert.equal(await page.locator('main td [lang=en]').count(), 0, language)
      await assertLooksGood(page, `the failed sign-ins in ${language}`)
    }
    await page.evaluate(`document.cookie = 'rollbook-language=en; Path=/'`)
    await page.reload()
    assert.equal(await page.getByText('shared', { exact: true }).count(), 0)

    // Passwords are refused, but not for the last administrator who could use one.
    await page.getByText('Users may also sign in with a password.').waitFor()
    await button(page, 'Change').click()
    const rules = page.getByRole('dialog', { name: 'Passwords' })
    await rules.getByRole('combobox').selectOption('refused_for_all')
    await rules.getByText('No active administrator could sign in with a password any more.').waitFor()
    assert.equal(await button(page, 'Save changes').isDisabled(), true)
    await assertAccessible(page, 'the refusal of passwords')
    await rules.getByRole('searchbox', { name: 'Find users' }).fill('ada')
    await rules.getByRole('checkbox', { name: /Lovelace\s*ada$/ }).check()
    await rules.getByRole('alert').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 320, height: 640 })
    await assertFitsWidth(page, 'the refusal of passwords')
    await page.setViewportSize({ width: 1280, height: 800 })
    await button(page, 'Save changes').click()
    await page.getByText('1 user may use a password nevertheless:').waitFor()
    const [refusing] = (await app.call('GET', '/connections')).body
    assert.deepEqual([refusing.passwords, refusing.password_exceptions.length], ['refused_for_all', 1])

    // The user has the account, until it is unlinked.
    const users = (await app.call('GET', '/users')).body as { user_id: string; email: string }[]
    const user = users.find(({ email }) => email === ada.email)
    await page.goto(`${api}/console/users/${user?.user_id}?tab=security`)
    await page.getByText('created the user on').waitFor()
    await assertAccessible(page, 'linked accounts')
    await button(page, 'Unlink all').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink all' }).click()
    await page.getByText('1 account was unlinked.').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${user?.user_id}/identities`)).body, [])

    // An administrator links it again, and knows the subject from the provider.
    await button(page, 'Link an account').click()
    const linking = page.getByRole('dialog', { name: /^Link an account to/ })
    await linking.getByRole('textbox', { name: 'ID of the account there' }).fill('subject-1')
    await assertLooksGood(page, 'an account to link')
    await linking.getByRole('button', { name: 'Link the account' }).click()
    await page.getByText('linked by an administrator on').waitFor()
    const [identity] = (await app.call('GET', `/users/${user?.user_id}/identities`)).body
    assert.deepEqual([identity.subject, identity.linked_by], ['subject-1', 'administrator'])
  })

  it('takes the metadata of a SAML provider as text, shows fingerprints, edits and deletes the connection', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, path: 'sign-in-connections/new' })
    await page.getByRole('combobox', { name: 'Provider' }).selectOption('saml generic')
    await field(page, 'Name').fill('Example')
    await button(page, 'Continue').click()
    await step(page, 'Set up at the provider')
    const [created] = (await app.call('GET', '/connections')).body
    await page.getByText(created.acs_url, { exact: true }).waitFor()
    await page.getByText(created.sp_entity_id, { exact: true }).waitFor()
    assert.match(
      (await app.call('GET', `/connections/${created.connection_id}/metadata`, { key: null })).text,
      /EntityDesc/,
    )
    const refused = await app.call('PATCH', `/connections/${created.connection_id}`, { body: { active: true } })
    assert.deepEqual(
      refused.body.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${pointer} ${code}`),
      ['#/entity_id missing_member', '#/sso_url missing_member', '#/certificates missing_member'],
    )
    await field(page, 'Metadata').last().fill('<!doctype html><title>Sign in</title>')
    await page.getByText('This is a web page for people.').waitFor()
    await field(page, 'Metadata').last().fill('<nothing/>')
    await page.getByText('the root element must be EntityDescriptor').waitFor()
    const { certificate } = signingKey()
    await page.locator('input[type=file]').setInputFiles({
      name: 'metadata.xml',
      mimeType: 'text/xml',
      buffer: Buffer.from(metadataOf(certificate.raw.toString('base64'))),
    })
    await page.getByText('Read: https://id.example.com/saml. The certificate is valid until').waitFor()
    await button(page, 'Continue').click()
    await step(page, 'Who may sign in')
    await page.getByRole('checkbox', { name: 'Addresses from there are verified' }).check()
    await field(page, 'Create users with these domains').fill('example.com')
    await button(page, 'Continue').click()
    await page.getByText(certificate.fingerprint256, { exact: true }).waitFor()
    await button(page, 'Test claims').click()
    await page.getByText('A new user is created and signs in.').waitFor()

    await page.goto(`${api}/console/sign-in-connections/${created.connection_id}`)
    await button(page, 'Edit connection').click()
    await field(page, 'Name').fill('Example Ltd.')
    await button(page, 'Save changes').click()
    await heading(page, 'Example Ltd.').waitFor()
    await button(page, 'Delete connection').click()
    const deleting = page.getByRole('dialog', { name: 'Delete the connection Example Ltd.?' })
    await deleting.getByText('No user has linked it.').waitFor()
    await deleting.getByRole('button', { name: 'Delete connection' }).click()
    await page.getByText('The connection Example Ltd. was deleted.').waitFor()
    assert.deepEqual((await app.call('GET', '/connections')).body, [])
  })

  it('fills the form of a directory by keyboard alone, and says that it cannot be reached', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, path: 'sign-in-connections/new' })
    const tabTo = async (control: ReturnType<typeof field>) => {
      for (let i = 0; i < 80; i++) {
        if ((await control.and(page.locator(':focus')).count()) === 1) return
        await page.keyboard.press('Tab')
      }
      assert.fail('Tab never reaches it.')
    }
    await tabTo(page.getByRole('combobox', { name: 'Provider' }))
    await page.keyboard.type('OpenLDAP')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Directory')
    await page.keyboard.press('Enter')
    await step(page, 'Directory')
    await tabTo(field(page, 'Servers'))
    await page.keyboard.type('ldap://127.0.0.1:9')
    await tabTo(field(page, /base DN/))
    await page.keyboard.type('ou=people,dc=example,dc=com')
    await tabTo(field(page, /bind DN/))
    await page.keyboard.type('cn=reader,dc=example,dc=com')
    await tabTo(page.getByLabel('Password of this account'))
    await page.keyboard.type('of the reader')
    await page.keyboard.press('Enter')
    await step(page, 'Who may sign in')
    const [created] = (await app.call('GET', '/connections')).body
    assert.deepEqual(
      [created.kind, created.preset, created.active, created.servers, created.has_bind_password],
      ['ldap', 'openldap', false, ['ldap://127.0.0.1:9'], true],
    )
    await tabTo(button(page, 'Continue'))
    await page.keyboard.press('Enter')
    await tabTo(button(page, 'Ask the directory'))
    await page.keyboard.press('Enter')
    await page.getByText('The sign-in is refused.').waitFor()

    await page.goto(`${api}/console/sign-in-connections/${created.connection_id}`)
    await button(page, 'Edit connection').click()
    await button(page, 'More settings').first().click()
    await field(page, 'Hours between synchronizations').fill('24')
    await button(page, 'Save changes').click()
    await page.getByText('The connection is saved.').waitFor()
    assert.equal((await app.call('GET', `/connections/${created.connection_id}`)).body.sync_hours, 24)
    await button(page, 'Dry run').click()
    await page.waitForURL(/\/imports\/[0-9a-f-]{36}/)
    await heading(page, `Dry run of ${created.name}`).waitFor()
    // No server listens there.
    await page.getByText('The connection shows why among its failed sign-ins and tests.').waitFor()
  })

  it('passes axe and fits phones, light and dark', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const { certificate } = signingKey()
    const name = 'Verzeichnisdienst der nördlichen Niederlassungen'
    const oidc = {
      kind: 'oidc',
      name,
      issuer: 'https://id.example.com',
      client_id: 'c',
      trusted_domains: ['example.com'],
    }
    const { connection_id } = (await app.call('POST', '/connections', { body: oidc })).body
    const saml = { kind: 'saml', name: 'مزوّد الهوية', metadata: metadataOf(certificate.raw.toString('base64')) }
    const second = await app.call('POST', '/connections', { body: { ...saml, active: false } })
    assert.equal(second.status, 201, second.text)
    await app.call('GET', `/connections/${connection_id}/callback?state=x&code=y`, { key: null })
    const page = await openConsole(t, browser, { api, path: 'sign-in-connections' })
    const look = (what: string) => assertLooksGood(page, what)
    await page.getByRole('link', { name: /Verzeichnisdienst/ }).waitFor()
    await look('the connections')
    await page.getByRole('link', { name: /Verzeichnisdienst/ }).click()
    await button(page, 'Test claims').click()
    await page.getByRole('table', { name: 'Claims' }).waitFor()
    await look('a connection')
    await button(page, 'Edit connection').click()
    await button(page, 'More settings').first().click()
    await button(page, 'More settings').click()
    await button(page, 'Add: Roles by value').click()
    await look('the settings')
    await page.goto(`${api}/console/sign-in-connections/new`)
    await field(page, 'Name').waitFor()
    await look('the first step')
    await page.goto(`${api}/console/sign-in-connections/new?connection=${second.body.connection_id}`)
    await button(page, 'Continue').click()
    await button(page, 'Continue').waitFor()
    await look('the third step')
  })
})

function metadataOf(certificate: string): string {
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.example.com/saml">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
      <X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example.com/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`
}
