import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started } from '../harness.ts'
import { assertAccessible, assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function define(app: Started, body: object): Promise<void> {
  const response = await app.call('POST', '/attributes', { body })
  assert.equal(response.status, 201, response.text)
}

const everyType = [
  { name: 'department', label: 'Department', type: 'string' },
  { name: 'seats', label: 'Seats', type: 'number', minimum: 0, maximum: 10 },
  { name: 'remote', label: 'Works remotely', type: 'boolean' },
  { name: 'entry', label: 'First day', type: 'date' },
  { name: 'checked', label: 'Checked at', type: 'datetime' },
  { name: 'size', label: 'Size', type: 'enum', options: ['S', 'M', 'L'] },
  { name: 'tags', label: 'Tags', type: 'string[]' },
  { name: 'badge', label: 'Badge', type: 'string', editable_by: 'nobody' },
]

describe('attributes in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('are defined, changed and deleted', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'attributes' })
    await page.getByText('There are no attributes yet.').waitFor()
    await page.keyboard.press('c')
    const creating = dialog(page, 'Create attribute')
    await creating.getByRole('button', { name: 'cost_center' }).click()
    assert.equal(await creating.getByRole('textbox', { name: 'Name' }).inputValue(), 'cost_center')
    await creating.getByRole('textbox', { name: 'Name' }).fill('Size!')
    await creating.getByRole('textbox', { name: 'Label' }).fill('Size')
    await creating.getByRole('combobox', { name: 'Type' }).selectOption('One of several values')
    await creating.getByRole('textbox', { name: 'Values' }).fill('S\nM')
    await creating.getByRole('button', { name: 'Create attribute' }).click()
    // What is wrong stands at its field.
    await creating.locator('[aria-invalid=true]').first().waitFor()
    await creating.getByRole('textbox', { name: 'Name' }).fill('size')
    await creating.getByRole('button', { name: 'Create attribute' }).click()
    await page.getByText('Users have the attribute Size now.').waitFor()
    const [created] = (await app.call('GET', '/attributes')).body
    assert.deepEqual(
      [created.name, created.type, created.options, created.searchable],
      ['size', 'enum', ['S', 'M'], true],
    )

    const { user_id } = await createUser(app, { username: 'grace', attributes: { size: 'M' } } as never)
    await button(page, 'Edit the attribute Size').click()
    const editing = dialog(page, 'Edit the attribute Size')
    await editing.getByRole('textbox', { name: 'Values' }).fill('S')
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await editing.getByRole('alert').waitFor()
    await editing.getByRole('textbox', { name: 'Values' }).fill('S\nM\nL')
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The attribute is saved.').waitFor()

    await button(page, 'Delete the attribute Size').click()
    const deleting = dialog(page, 'Delete the attribute Size?')
    await deleting.getByText('1 user loses a value. This cannot be undone.').waitFor()
    await deleting.getByRole('button', { name: 'Delete attribute' }).click()
    await page.getByText('There are no attributes yet.').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body.attributes, {})
  })

  it('are fields of a user by their types', async (t) => {
    const { app, api } = await startConsole(t)
    for (const one of everyType) await define(app, one)
    const { user_id } = await createUser(app, { username: 'grace', attributes: { department: 'Sales' } } as never)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const form = page.getByRole('region', { name: 'Attributes' })
    const box = (name: string) => form.getByRole('textbox', { name })
    await box('Department').waitFor()
    assert.equal(await box('Department').inputValue(), 'Sales')
    assert.match(await form.locator('dl').innerText(), /Badge\s+Not set/)
    await box('Department').fill('')
    await box('Seats').fill('11')
    await form.getByRole('combobox', { name: 'Works remotely' }).selectOption('No')
    await form.getByLabel('First day').fill('2026-11-02')
    await form.getByLabel('Checked at').fill('2026-11-02T08:30')
    await form.getByRole('combobox', { name: 'Size' }).selectOption('L')
    await box('Tags').fill('night shift\n first aid')
    await form.getByRole('button', { name: 'Save changes' }).click()
    await form.locator('[data-path="attributes/seats"][aria-invalid=true]').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body.attributes, { department: 'Sales' })
    await box('Seats').fill('4')
    await form.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body.attributes, {
      seats: 4,
      remote: false,
      entry: '2026-11-02',
      checked: '2026-11-02T08:30:00.000Z',
      size: 'L',
      tags: ['night shift', 'first aid'],
    })
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('term').filter({ hasText: 'Works remotely' }).waitFor()
    assert.equal(await page.getByText('attributes.', { exact: false }).count(), 0)
  })

  it('are asked for where a user is created, and edited by people themselves where they may', async (t) => {
    const { app, api } = await startConsole(t)
    await define(app, { name: 'language', label: 'Language', type: 'enum', options: ['en', 'ar'], editable_by: 'user' })
    await define(app, { name: 'department', label: 'Department', type: 'string' })
    const page = await openConsole(t, browser, { api })
    await page.keyboard.press('c')
    const creating = dialog(page, 'Create user')
    await creating.getByRole('textbox', { name: 'Username' }).fill('radia')
    await creating.getByText('More', { exact: true }).click()
    await creating.getByRole('textbox', { name: 'Department' }).fill('Networks')
    await creating.getByRole('combobox', { name: 'Language' }).selectOption('ar')
    await creating.getByRole('button', { name: 'Create user' }).click()
    await dialog(page, 'User created').waitFor()
    const [radia] = (await app.call('GET', '/users?username=radia')).body
    assert.deepEqual(radia.attributes, { department: 'Networks', language: 'ar' })

    // Without any permission.
    const person = { username: 'grace', password: 'nanoseconds on a string' }
    await createUser(app, { ...person, attributes: { department: 'Sales' } } as never)
    const own = await openConsole(t, browser, { api, path: '../account', as: person })
    const form = own.getByRole('region', { name: 'Profile' })
    await form.getByRole('combobox', { name: 'Language' }).selectOption('en')
    assert.equal(await form.getByRole('textbox', { name: 'Department' }).count(), 0)
    assert.match(await form.getByRole('term').last().innerText(), /Department/)
    await form.getByText('Sales').waitFor()
    await form.getByRole('button', { name: 'Save' }).click()
    await own.getByText('Your profile is saved.').waitFor()
    await assertAccessible(own, 'own attributes')
    const [grace] = (await app.call('GET', '/users?username=grace')).body
    assert.deepEqual(grace.attributes, { department: 'Sales', language: 'en' })
  })

  it('are set for users from a pasted list, and restored', async (t) => {
    const { app, api } = await startConsole(t)
    await define(app, { name: 'department', label: 'Department', type: 'string' })
    await define(app, { name: 'seats', label: 'Seats', type: 'number', maximum: 9 })
    await define(app, { name: 'badge', label: 'Badge', type: 'string', unique: true })
    const people = { grace: { department: 'Sales' }, radia: {}, edith: { department: 'Legal' } }
    for (const [username, attributes] of Object.entries(people))
      await createUser(app, { username, email: `${username}@example.com`, attributes } as never)
    const departments = async () =>
      (await app.call('GET', '/users?sort=username')).body.map((one: { attributes: object }) => one.attributes)
    const before = await departments()
    const page = await openConsole(t, browser, { api, path: 'users' })
    await button(page, 'Select from a list').click()
    const pasting = dialog(page, 'Select from a list')
    await pasting.getByRole('textbox', { name: 'Users' }).fill('Hopper, Grace <grace@example.com>;radia\tnobody')
    await assertLooksGood(page, 'a pasted list')
    await pasting.getByRole('button', { name: 'Preview' }).click()
    await pasting.getByText('2 users found').waitFor()
    assert.deepEqual(await pasting.getByRole('list', { name: 'Users found' }).getByRole('listitem').allInnerTexts(), [
      'grace',
      'radia',
    ])
    await pasting.getByText('1 name belongs to no user:').waitFor()
    await assertLooksGood(page, 'the users of a pasted list')
    await pasting.getByRole('button', { name: 'Select 2 users' }).click()
    await page.getByText('2 selected').waitFor()
    await button(page, 'Set attribute').click()
    const setting = dialog(page, 'Set an attribute')
    const attribute = setting.getByRole('combobox', { name: 'Attribute' })
    await attribute.getByRole('option', { name: 'Seats' }).waitFor({ state: 'attached' })
    assert.deepEqual(await attribute.getByRole('option').allInnerTexts(), [
      'Choose an attribute',
      'Department',
      'Seats',
    ])
    await attribute.selectOption('Seats')
    await setting.getByRole('textbox', { name: 'Seats' }).fill('10')
    await setting.getByRole('button', { name: 'Preview' }).click()
    await setting
      .getByText(/Must be at most 9/)
      .first()
      .waitFor()
    await setting.getByRole('button', { name: 'Back' }).click()
    await attribute.selectOption('Department')
    await setting.getByRole('textbox', { name: 'Department' }).fill('Legal')
    await assertLooksGood(page, 'setting an attribute')
    await setting.getByRole('button', { name: 'Preview' }).click()
    await setting.getByRole('button', { name: 'Change 2 users' }).click()
    const undo = setting.getByRole('button', { name: 'Undo: restore 2 values' })
    await undo.waitFor()
    assert.deepEqual(
      (await departments()).filter(({ department }: { department?: string }) => department === 'Legal').length,
      3,
    )
    await undo.click()
    await page.getByText('Restored: 2').waitFor()
    assert.deepEqual(await departments(), before)
  })

  it('filter the users, select for bulk changes, and have columns', async (t) => {
    const { app, api } = await startConsole(t)
    const searchable = { searchable: true }
    for (const one of everyType) await define(app, { ...one, ...(one.name !== 'badge' && searchable) })
    const people = {
      grace: { department: 'Sales', size: 'M', seats: 3 },
      radia: { department: 'Sales', size: 'L' },
      edith: {},
    }
    for (const [username, attributes] of Object.entries(people))
      await createUser(app, { username, attributes } as never)
    const page = await openConsole(t, browser, { api, path: 'users' })
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await row('edith').waitFor()
    await button(page, 'Filters').click()
    assert.equal(await page.getByRole('textbox', { name: 'Badge' }).count(), 0, 'no index has its values')
    await page.getByRole('textbox', { name: 'Department' }).fill('Sales')
    await page.keyboard.press('Enter')
    await row('edith').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Size' }).selectOption('M')
    await row('radia').waitFor({ state: 'detached' })
    await assertAccessible(page, 'the filters by attributes')
    await button(page, 'Done').click()
    await button(page, 'Remove the filter: Department: Sales').waitFor()
    await button(page, 'Remove the filter: Size: M').click()
    await row('radia').waitFor()

    await button(page, 'View').click()
    await page.getByRole('checkbox', { name: 'Seats' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Seats' }).waitFor()
    assert.match(await row('grace').innerText(), /\b3\b/)
    assert.match(page.url(), /attributes\.department=Sales/)
    await page.reload()
    await page.getByRole('columnheader', { name: 'Seats' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select grace' }).click()
    await button(page, 'Select all 2 that match').click()
    await button(page, 'Disable').click()
    await page.getByRole('button', { name: 'Disable 2 users' }).click()
    await page.getByRole('button', { name: 'Undo: enable 2 users' }).waitFor()
    const disabled = (await app.call('GET', '/users?active=false')).body
    assert.deepEqual(disabled.map(({ username }: { username: string }) => username).sort(), ['grace', 'radia'])
  })

  it('pass axe and fit phones, light and dark', async (t) => {
    const { app, api, user_id } = await startConsole(t)
    for (const one of everyType) await define(app, { ...one, label: `${one.label} der nördlichen Niederlassungen` })
    const page = await openConsole(t, browser, { api, path: 'attributes' })
    const seen = async (what: string) => {
      await page.waitForLoadState('networkidle')
      await assertLooksGood(page, what)
    }
    await page.getByText('Department der nördlichen Niederlassungen').waitFor()
    await seen('attributes')
    await button(page, 'Create attribute').click()
    await dialog(page, 'Create attribute').waitFor()
    await seen('creating')
    await page.goto(`${api}/console/users/${user_id}`)
    await page.getByRole('region', { name: 'Attributes' }).waitFor()
    await seen('a user')
  })
})
