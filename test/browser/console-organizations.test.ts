import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { scopablePermissions } from '../../src/core/permissions.ts'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { assertLooksGood, follow, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

describe('organizations in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('are named nowhere before the first one exists, and the palette creates it', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    for (const path of ['users', 'groups', 'keys', 'provisioning', 'sign-in-connections', 'roles', 'imports']) {
      await follow(page, path)
      assert.equal(await page.getByText(/organization/i).count(), 0, path)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('create organization')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Create organization' })
    await dialog.getByLabel('Name').fill('Acme')
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Organizations' }).waitFor()
  })

  it('have a page each, with what belongs to them, and look good', async (t) => {
    const { app, api } = await startConsole(t)
    const { organization_id } = (await app.call('POST', '/organizations', { body: { name: 'Acme' } })).body
    const path = `/organizations/${organization_id}`
    await app.call('POST', `${path}/domains`, { body: { domain: 'acme.example' } })
    await createUser(app, { username: 'grace', organization_id })
    const sales = (await app.call('POST', '/groups', { body: { name: 'Acme sales', organization_id } })).body
    const { user_id } = await createUser(app, { username: 'edsger' })
    await app.call('PUT', `/groups/${sales.group_id}/members/${user_id}`)
    const page = await openConsole(t, browser, { api, path: 'organizations' })
    await page.getByRole('link', { name: 'Acme' }).waitFor()
    await assertLooksGood(page, 'the organizations')
    for (const [tab, text] of [
      ['users', 'grace'],
      ['groups', '1 guest from elsewhere'],
      ['domains', 'acme.example'],
      ['sign-in', 'No connection for sign-in belongs to it yet.'],
      ['provisioning', 'No connection for provisioning belongs to it yet.'],
      ['keys', 'No key belongs to it yet.'],
      ['audit', 'Domain added to an organization'],
      ['audit', 'User created'],
    ]) {
      await follow(page, `${path.slice(1)}?tab=${tab}`)
      await page
        .getByText(text ?? '', { exact: true })
        .first()
        .waitFor()
      await assertLooksGood(page, `the tab ${tab}`)
    }
    await follow(page, `${path.slice(1)}?tab=domains`)
    await page.getByRole('button', { name: 'Verify acme.example' }).click()
    await page.getByText('_rollbook.acme.example').waitFor()
    await assertLooksGood(page, 'the record of a domain')
    await follow(page, `groups/${sales.group_id}`)
    await page.getByText('1 guest from elsewhere').waitFor()
    await follow(page, `audit?organization=${organization_id}`)
    await page.getByRole('button', { name: 'Remove the filter: Organization: Acme' }).waitFor()
    await assertLooksGood(page, 'the audit of an organization')
  })

  it('get a setup link that is shown once, listed and revoked', async (t) => {
    const { app, api } = await startConsole(t)
    const { organization_id } = (await app.call('POST', '/organizations', { body: { name: 'Acme' } })).body
    const page = await openConsole(t, browser, { api, path: `organizations/${organization_id}?tab=setup-links` })
    await page.getByRole('button', { name: 'Create setup link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a setup link for Acme' })
    await dialog.getByLabel('Provisioning').uncheck()
    await assertLooksGood(page, 'the dialog for a setup link')
    await dialog.getByRole('button', { name: 'Create setup link' }).click()
    const result = page.getByRole('dialog', { name: 'The setup link of Acme' })
    const url = await result.locator('pre').innerText()
    assert.ok(url.startsWith(api), url)
    await assertLooksGood(page, 'the setup link')
    await result.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText('Domains and Company sign-in').waitFor()
    await assertLooksGood(page, 'the setup links')
    assert.doesNotMatch(await page.content(), new RegExp(url.replace(/.*\//, '').slice(-20)))
    await page.getByRole('button', { name: /^Revoke the link/ }).click()
    await page.getByRole('button', { name: 'Revoke link' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
  })

  it('have a look of their own over that of the product, which they can return to', async (t) => {
    const { app, api } = await startConsole(t)
    const { organization_id } = (await app.call('POST', '/organizations', { body: { name: 'Acme' } })).body
    const path = `/organizations/${organization_id}`
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#7a1f5c" d="M16 2l14 28H2z"/></svg>`
    const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
    await app.call('PUT', '/branding', { body: { name: 'Orchard', logo, terms_url: 'https://orchard.example/terms' } })
    const page = await openConsole(t, browser, { api, path: `${path.slice(1)}?tab=branding` })
    const frame = page.frameLocator('iframe')
    await page.getByText('Empty: Orchard, the name of the product.').waitFor()
    await frame.getByText('Orchard').first().waitFor()
    await page.getByLabel('Name of the product').fill('Acme portal')
    await frame.getByText('Acme portal').first().waitFor()
    await frame.locator('a[href="https://orchard.example/terms"]').first().waitFor()
    await assertLooksGood(page, 'the branding of an organization')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Use the product’s look' }).click()
    assert.deepEqual((await app.call('GET', `${path}/branding`)).body.name, 'Acme portal')
    const dialog = page.getByRole('dialog', { name: 'Use the product’s look for Acme?' })
    await assertLooksGood(page, 'the question whether to use the product’s look')
    await dialog.getByRole('button', { name: 'Use the product’s look' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Name of the product').and(page.locator('[value=""]')).waitFor()
    assert.equal((await app.call('GET', `${path}/branding`)).body.name, null)
    assert.equal((await app.call('GET', '/branding')).body.name, 'Orchard')
  })

  it('move a user after a preview of what is lost', async (t) => {
    const { app, api } = await startConsole(t)
    const { organization_id } = (await app.call('POST', '/organizations', { body: { name: 'Acme' } })).body
    const { user_id } = await createUser(app, { username: 'grace', organization_id })
    const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Acme sales', organization_id } })).body
    await app.call('PUT', `/groups/${group_id}/members/${user_id}`)
    await app.call('POST', '/organizations', { body: { name: 'Globex' } })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await page.getByRole('button', { name: 'Change organization' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the organization of grace' })
    await dialog.getByRole('combobox').fill('Glob')
    await dialog.getByRole('option', { name: 'Globex' }).click()
    await dialog.getByText('The user leaves these groups: Acme sales').waitFor()
    await assertLooksGood(page, 'the move of a user')
    await dialog.getByRole('button', { name: 'Move user' }).click()
    await page.getByRole('link', { name: 'Globex' }).first().waitFor()
    assert.equal((await app.call('GET', `/groups/${group_id}`)).body.member_count, 0)
  })

  it('let those who read everything change only their own', async (t) => {
    const { app, api } = await startConsole(t)
    const create = async (name: string) => (await app.call('POST', '/organizations', { body: { name } })).body
    const [acme, globex] = [await create('Acme'), await create('Globex')]
    const permissions = ['users:read', 'users:write@organization', 'groups:read', 'groups:write@organization']
    await app.call('POST', '/roles', { body: { role: 'mixed', permissions: [...permissions, 'organizations:read'] } })
    const mia = { username: 'mia', password: 'a customer administers itself' }
    await createUser(app, { ...mia, role: 'mixed', organization_id: acme.organization_id })
    const own = await createUser(app, { username: 'grace', organization_id: acme.organization_id })
    const other = await createUser(app, { username: 'edsger', organization_id: globex.organization_id })
    const body = { name: 'Globex staff', organization_id: globex.organization_id }
    const group = (await app.call('POST', '/groups', { body })).body
    const page = await openConsole(t, browser, { api, as: mia, path: `users/${own.user_id}` })
    await page.getByRole('button', { name: 'Actions' }).waitFor()
    for (const path of [`users/${other.user_id}`, `groups/${group.group_id}`]) {
      await follow(page, path)
      await page.getByText('You can change only what belongs to Acme.').waitFor()
      await page.getByRole('link', { name: 'Globex' }).first().waitFor()
      for (const name of ['Actions', 'Save changes', 'Edit group', 'Delete group', 'Add members'])
        assert.equal(await page.getByRole('button', { name }).count(), 0, name)
      await assertLooksGood(page, path)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await follow(page, 'users')
    await page.getByRole('button', { name: 'Create user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create user' })
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('External ID').waitFor()
    assert.equal(await dialog.getByRole('combobox', { name: 'Organization', exact: true }).count(), 0)
  })

  it('are a column of imports, by name, and a name in exports, which come back', async (t) => {
    const { app, api } = await startConsole(t)
    for (const name of ['Acme', 'Globex']) await app.call('POST', '/organizations', { body: { name } })
    const page = await openConsole(t, browser, { api, isNew: true, path: 'imports' })
    // As on plain http: exports are downloads.
    await page.addInitScript('delete window.showSaveFilePicker')
    await page.reload()
    const load = async (text: string | Buffer) => {
      await follow(page, 'imports')
      await page.getByRole('link', { name: 'Choose file' }).click()
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByLabel('Choose a file, or drop one here').click(),
      ])
      await chooser.setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    }
    const becomes = (column: string) => page.getByLabel(`What ${column} is imported as`, { exact: true }).inputValue()
    await load('Login,Mandant\ngrace,Acme\nedsger,Nowhere\n')
    assert.equal(await becomes('Mandant'), 'organization')
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('This organization does not exist.').waitFor()
    await page.getByRole('button', { name: 'Import 1 user' }).click()
    await page.getByRole('heading', { name: '1 of 2 rows imported.' }).waitFor()
    const [grace] = (await app.call('GET', '/users?username=grace')).body
    assert.equal((await app.call('GET', `/organizations/${grace.organization_id}`)).body.name, 'Acme')

    await follow(page, 'users')
    await page.getByRole('button', { name: 'Export users' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('CSV for Excel', { exact: true }).check()
    await dialog.getByLabel('Those of the list', { exact: true }).check()
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export users', exact: true }).click()
    const exported = await readFile(await (await downloading).path())
    assert.match(exported.toString(), /grace,.*,Acme,/)
    await page.keyboard.press('Escape')
    await load(exported)
    assert.equal(await becomes('Organization'), 'organization')
  })

  it('are reduced to one for its administrators: no page, request or word of anything else', async (t) => {
    const { app, api } = await startConsole(t)
    const [acme, globex] = await Promise.all(
      ['Acme', 'Globex'].map(
        async (name) => (await app.call('POST', '/organizations', { body: { name } })).body.organization_id as string,
      ),
    )
    const words = scopablePermissions.map((word) => `${word}@organization`)
    await app.call('POST', '/roles', { body: { role: 'company_admin', permissions: words } })
    const carol = { username: 'carol', password: 'a customer administers itself' }
    await createUser(app, { ...carol, role: 'company_admin', organization_id: acme })
    await createUser(app, { username: 'grace', organization_id: acme })
    for (const username of ['globex.first', 'globex.second'])
      await createUser(app, { username, organization_id: globex })
    await app.call('POST', '/groups', { body: { name: 'Globex staff', organization_id: globex } })
    await app.call('POST', '/keys', { body: { name: 'Globex sync', permissions: [], organization_id: globex } })
    const page = await openConsole(t, browser, { api, as: carol })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
    })
    await page.getByRole('link', { name: 'Acme', exact: true }).waitFor()
    const links = page.getByRole('navigation', { name: 'Main' }).locator('a[href*="/console/"]')
    const targets = await links.all()
    const pages = await Promise.all(
      targets.map(async (link) => ((await link.getAttribute('href')) ?? '').replace(/.*\/console\//, '')),
    )
    assert.deepEqual(pages, [
      ...['users', 'groups', 'organization', 'statistics', 'imports', 'deleted-users', 'audit', 'roles'],
      ...['keys', 'sign-in-connections', 'provisioning', 'mails'],
    ])
    for (const path of pages) {
      await follow(page, path)
      assert.doesNotMatch(await page.locator('body').innerText(), /globex/i, path)
      await assertLooksGood(page, `${path}, limited`)
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    for (const path of ['users', 'groups', 'keys', 'provisioning']) {
      await follow(page, path)
      await page.keyboard.press('c')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      assert.equal(await dialog.getByRole('combobox', { name: 'Organization', exact: true }).count(), 0, path)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    assert.deepEqual(refused, [])
  })
})
