import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started } from '../harness.ts'
import { addUsers, assertAccessible, assertFitsWidth, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()
const env = {
  ROLLBOOK_ROLES: JSON.stringify({
    support: ['users:read', 'groups:read', 'groups:write'],
    clerk: ['users:read', 'groups:read'],
  }),
}
const keeper = { username: 'keeper', password: 'a moth in relay seventy' }

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function createGroup(app: Started, body: object): Promise<string> {
  const answer = await app.call('POST', '/groups', { body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.group_id
}

async function join(app: Started, groupId: string, ...ids: unknown[]): Promise<void> {
  const answer = await app.call('POST', `/groups/${groupId}/members`, { body: { add: ids } })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.added, ids.length)
}

/** Presses Tab until a control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const named = `(document.activeElement?.ariaLabel || document.activeElement?.textContent || '').trim()`
  for (let i = 0; i < 100; i++) {
    if ((await page.evaluate(named)) === name) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab never reaches ${name}.`)
}

describe('groups in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('creates, changes and deletes a group by keyboard alone', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, path: 'groups' })
    await page.getByText('There are no groups yet.').waitFor()
    await page.keyboard.press('c')
    await dialog(page, 'Create group').getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.type('Support of the north')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Answers customers')
    await page.keyboard.press('Tab')
    await page.keyboard.type('support')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Create group')
    await page.keyboard.press('Enter')
    await heading(page, 'Support of the north').waitFor()
    const [created] = (await app.call('GET', '/groups')).body
    assert.deepEqual([created.description, created.role, created.external_id], ['Answers customers', 'support', null])

    await tabTo(page, 'Edit group')
    await page.keyboard.press('Enter')
    await dialog(page, 'Edit group').getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Care')
    await page.keyboard.press('Enter')
    await heading(page, 'Care').waitFor()
    assert.equal((await app.call('GET', `/groups/${created.group_id}`)).body.name, 'Care')

    await tabTo(page, 'Delete group')
    await page.keyboard.press('Enter')
    await dialog(page, 'Delete the group Care?').getByText('The group has no members.').waitFor()
    await tabTo(page, 'Delete group')
    await page.keyboard.press('Enter')
    await heading(page, 'Groups').waitFor()
    await page.getByText('The group Care was deleted.').waitFor()
    await page.getByText('There are no groups yet.').waitFor()
    assert.deepEqual((await app.call('GET', '/groups')).body, [])
  })

  it('finds and sorts groups, and keeps both in the address', async (t) => {
    const { app, api } = await startConsole(t)
    for (let i = 1; i <= 60; i++) await createGroup(app, { name: `Team ${String(i).padStart(2, '0')}` })
    const page = await openConsole(t, browser, { api, path: 'groups' })
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
    await page.getByRole('link', { name: 'Team 01' }).waitFor()
    assert.equal(await rows.count(), 50)
    await button(page, 'Show more groups').click()
    await page.getByRole('link', { name: 'Team 60' }).waitFor()
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Name, Z to A')
    await rows.first().getByRole('link', { name: 'Team 60' }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('team 3')
    await page.waitForURL(/q=team\+3/)
    await page.getByText('10 groups').waitFor({ state: 'attached' })
    await page.reload()
    await rows.first().getByRole('link', { name: 'Team 39' }).waitFor()
    assert.equal(await rows.count(), 10)
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('nothing like it')
    await page.getByText('No group has a name that contains “nothing like it”.').waitFor()
  })

  it('says what a deletion and a new role do to the members, and does not overwrite a change of another', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Support', role: 'support' })
    const { user_id } = await createUser(app, { username: 'grace' })
    const { user_id: other } = await createUser(app, { username: 'radia' })
    await join(app, group, user_id, other)
    const page = await openConsole(t, browser, { api, path: `groups/${group}` })
    await button(page, 'Edit group').click()
    const editing = dialog(page, 'Edit group')
    await editing.getByRole('combobox', { name: 'Role of the members' }).selectOption('No role')
    await editing.getByText('The permissions of 2 members change at once.').waitFor()
    // A member who leaves is no conflict; another name is.
    await app.call('DELETE', `/groups/${group}/members/${other}`)
    await app.call('PATCH', `/groups/${group}`, { body: { name: 'Care' } })
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await editing.getByText('The group was changed while you were editing.').waitFor()
    assert.equal((await app.call('GET', `/groups/${group}`)).body.role, 'support')
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The group is saved.').waitFor()
    await heading(page, 'Care').waitFor()
    const { name, role, member_count } = (await app.call('GET', `/groups/${group}`)).body
    assert.deepEqual([name, role, member_count], ['Care', null, 1])

    await button(page, 'Edit group').click()
    await editing.getByRole('combobox', { name: 'Role of the members' }).selectOption('support')
    await app.call('PUT', `/groups/${group}/members/${other}`)
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await editing.waitFor({ state: 'detached' })
    assert.equal((await app.call('GET', `/groups/${group}`)).body.role, 'support')

    await button(page, 'Delete group').click()
    const deleting = dialog(page, 'Delete the group Care?')
    await deleting.getByText('2 members leave the group and stay users.').waitFor()
    await deleting.getByText('They lose the role support at once').waitFor()
    await deleting.getByRole('button', { name: 'Delete group' }).click()
    await page.getByText('There are no groups yet.').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).status, 200)
  })

  it('says that the group of the last administrator cannot be deleted, before it is tried', async (t) => {
    const { app, api, user_id } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Administrators of the north', role: 'admin' })
    await join(app, group, user_id)
    assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { role: 'user' } })).status, 200)
    const page = await openConsole(t, browser, { api, path: `groups/${group}` })
    await button(page, 'Delete group').click()
    const deleting = dialog(page, 'Delete the group Administrators of the north?')
    await deleting.getByText('This group cannot be deleted.').waitFor()
    await deleting.getByText('The last active administrators have this role only through this group.').waitFor()
    assert.equal(await deleting.getByRole('button', { name: 'Delete group' }).isDisabled(), true)
    await assertAccessible(page, 'the refused deletion')
  })

  it('offers what the permissions allow, and explains a refusal for rank', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const plain = await createGroup(app, { name: 'Readers', role: 'clerk' })
    await createGroup(app, { name: 'Administrators of the north', role: 'admin' })
    await createUser(app, { ...keeper, role: 'support' })
    const clerk = { username: 'clerk', password: 'a moth in relay seventy' }
    await createUser(app, { ...clerk, role: 'clerk' })
    const page = await openConsole(t, browser, { api, path: 'groups', as: keeper })
    await page.getByRole('link', { name: 'Readers' }).waitFor()
    await button(page, 'Create group').click()
    const creating = dialog(page, 'Create group')
    const admins = creating.getByRole('option', { name: 'admin (has permissions that you lack)' })
    await admins.waitFor({ state: 'attached' })
    assert.equal(await admins.isDisabled(), true)
    // A name that is taken is said at its field.
    await creating.getByRole('textbox', { name: 'Name' }).fill('READERS')
    await creating.getByRole('button', { name: 'Create group' }).click()
    await creating.getByText('Another group already has this name.').waitFor()
    await creating.getByRole('textbox', { name: 'Name' }).fill('admin')
    await creating.getByRole('button', { name: 'Create group' }).click()
    await creating.getByText('The group is named like the role admin').waitFor()
    await page.keyboard.press('Escape')
    await creating.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('link', { name: 'Administrators of the north' }).click()
    await button(page, 'Delete group').click()
    await page.getByText('The group gives the role admin, which has permissions that your credential lacks.').waitFor()

    const reader = await openConsole(t, browser, { api, path: `groups/${plain}`, as: clerk })
    await heading(reader, 'Readers').waitFor()
    assert.equal(await button(reader, 'Edit group').count(), 0)
    await reader.getByRole('link', { name: 'Groups' }).first().click()
    await heading(reader, 'Groups').waitFor()
    assert.equal(await button(reader, 'Create group').isDisabled(), true)
    const outsider = { username: 'outsider', password: 'a moth in relay seventy' }
    await createUser(app, { ...outsider, role: 'user' })
    const out = await openConsole(t, browser, { api, path: 'profile', as: outsider })
    await heading(out, 'Your account').waitFor()
    assert.equal(await out.getByRole('link', { name: 'Groups' }).count(), 0)
  })

  it('lists the members as the users are listed: searched, filtered, sorted, and any place of many', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 600, (i) => ({ active: i % 3 !== 0 }))
    await createUser(app, { username: 'outsider' })
    const ids = (await app.call('GET', '/users?q=user.')).body.map((user: { user_id: string }) => user.user_id)
    const group = await createGroup(app, { name: 'Everyone of the north' })
    await join(app, group, ...ids)
    const page = await openConsole(t, browser, { api, path: `groups/${group}` })
    const grid = page.getByRole('grid', { name: 'Users' })
    await grid.getByRole('row', { name: /user\.0600/ }).waitFor()
    await page.getByText('of 600').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('user.012')
    await page.getByText('of 10', { exact: false }).waitFor()
    await page.waitForURL(/q=user\.012/)
    await button(page, 'Filter: Disabled').click()
    await page.waitForURL(/active=false/)
    await grid.getByRole('row', { name: /user\.0121/ }).waitFor()
    await page.reload()
    await grid.getByRole('row', { name: /user\.0121/ }).waitFor()
    assert.equal(await grid.getByRole('row', { name: /user\.0122/ }).count(), 0)
    await page.getByRole('button', { name: 'Clear filters' }).or(button(page, 'Remove the filter: Disabled')).click()
    await button(page, 'Clear the search').click()
    await page.getByText('of 600').waitFor()
    await grid.focus()
    await page.keyboard.press('End')
    await grid.getByRole('row', { name: /user\.0001/ }).waitFor()
    // The address has the place once the list has come to rest.
    await page.waitForURL(/row=\d+/)
    await page.keyboard.press('Enter')
    await heading(page, 'user.0001').waitFor()
    await page.goBack()
    await grid.getByRole('row', { name: /user\.0001/ }).waitFor()
    assert.equal(await grid.getByText('outsider').count(), 0)
  })

  it('adds members by keyboard alone, after a preview of what would happen to each', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Support', role: 'support' })
    await createUser(app, { username: 'grace', first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' })
    const { user_id: radia } = await createUser(app, { username: 'radia' })
    await createUser(app, { username: 'hedy', email: 'hedy@example.com' })
    await join(app, group, radia)
    const page = await openConsole(t, browser, { api, path: `groups/${group}` })
    await page.getByRole('row', { name: /radia/ }).waitFor()
    await page.keyboard.press('a')
    const adding = dialog(page, 'Add members to Support')
    await adding.getByRole('searchbox', { name: 'Find users' }).waitFor()
    await page.keyboard.type('hop')
    await adding.getByRole('checkbox', { name: /Grace Hopper/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await adding.getByRole('button', { name: 'Leave out grace' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type(`HEDY@example.com, grace; ${radia} nobody.at.all`)
    await tabTo(page, 'Preview')
    await page.keyboard.press('Enter')
    const each = adding.getByRole('list', { name: 'Each user' }).getByRole('listitem')
    await each.first().waitFor()
    await adding.getByText('Nothing is changed yet.').waitFor()
    assert.deepEqual(await each.allInnerTexts(), [
      'nobody.at.all\nNo such user',
      'grace\nWould be added',
      'hedy\nWould be added',
      'radia\nAlready a member',
    ])
    await adding.getByText('They have the role support at once').waitFor()
    assert.equal((await app.call('GET', `/groups/${group}`)).body.member_count, 1)
    // The button that leads on has the focus.
    await page.waitForFunction("document.activeElement.textContent === 'Add 2 members'")
    await page.keyboard.press('Enter')
    await adding.getByText('Added').first().waitFor()
    assert.equal((await app.call('GET', `/groups/${group}`)).body.member_count, 3)
    await page.keyboard.press('Enter')
    await adding.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Grace Hopper/ }).waitFor()
    await page.getByText('1–3 of 3').waitFor()
  })

  it('keeps what was chosen on the way back from the preview, and continues after a cut without doing it twice', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Support' })
    const { user_id } = await createUser(app, { username: 'grace' })
    const page = await openConsole(t, browser, { api, path: `groups/${group}`, allowed: /ERR_FAILED/ })
    await button(page, 'Add members').first().click()
    const adding = dialog(page, 'Add members to Support')
    const list = adding.getByRole('textbox', { name: 'Or paste a list' })
    await adding.getByRole('button', { name: 'Preview' }).click()
    await adding.getByText('Choose at least one user.').waitFor()
    await list.fill('grase')
    await adding.getByRole('button', { name: 'Preview' }).click()
    await adding.getByText('There is nothing to change.').waitFor()
    await adding.getByRole('button', { name: 'Back' }).click()
    assert.equal(await list.inputValue(), 'grase')
    await list.fill('grace')
    await adding.getByRole('button', { name: 'Preview' }).click()
    const add = adding.getByRole('button', { name: 'Add 1 member' })
    await add.waitFor()
    // The service makes the change, and its answer is lost.
    const path = `**/groups/${group}/members`
    await page.route(path, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await add.click()
    await adding.getByText('The change was not completed. Changes already made are kept.').waitFor()
    await page.unroute(path)
    await adding.getByRole('button', { name: 'Continue with the rest' }).click()
    const each = adding.getByRole('list', { name: 'Each user' }).getByRole('listitem')
    await each.first().waitFor()
    assert.deepEqual(await each.allInnerTexts(), ['grace\nAdded'])
    const history = (await app.call('GET', `/users/${user_id}/audit`)).body
    assert.equal(history.filter(({ action }: { action: string }) => action === 'group.member_added').length, 1)
  })

  it('removes selected members, or all who match, and says in words who is refused and why', async (t) => {
    const { app, api, user_id } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Administrators of the north', role: 'admin' })
    await addUsers(app, 1200)
    const ids = (await app.call('GET', '/users?q=user.')).body.map((user: { user_id: string }) => user.user_id)
    await join(app, group, user_id, ...ids.slice(0, 999))
    await join(app, group, ...ids.slice(999))
    // Only ada can sign in, and ada only through the group.
    const off = { action: 'deactivate', filter: { q: 'user.' } }
    assert.equal((await app.call('POST', '/users/bulk', { body: off })).status, 200)
    assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { role: 'user' } })).status, 200)
    const page = await openConsole(t, browser, { api, path: `groups/${group}` })
    const removing = dialog(page, 'Remove members from Administrators of the north')
    await page.getByRole('checkbox', { name: 'Select user.1200' }).click()
    await page.getByRole('checkbox', { name: 'Select user.1199' }).click()
    await button(page, 'Remove from the group').click()
    await removing.getByText('They lose the role admin at once').waitFor()
    await removing.getByRole('button', { name: 'Remove 2 members' }).click()
    await removing.getByText('Removed').first().waitFor()
    await removing.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('of 1,199').waitFor()

    await page.getByRole('checkbox', { name: 'Select user.1198' }).click()
    await button(page, 'Select all 1,199 that match').click()
    await button(page, 'Remove from the group').click()
    await removing.getByText('This includes you. You may lose access to this page.').waitFor()
    await removing.getByText('They lose the role admin at once').waitFor()
    await removing.getByText('1 user is refused').waitFor()
    assert.match(await removing.getByRole('listitem').first().innerText(), /^ada .*administrator/)
    assert.equal((await app.call('GET', `/groups/${group}`)).body.member_count, 1199)
    await removing.getByRole('button', { name: 'Remove 1,198 users' }).click()
    await removing.getByRole('button', { name: 'Undo: add 1,198 users' }).waitFor()
    await removing.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('1–1 of 1').waitFor()
    assert.equal((await app.call('GET', `/groups/${group}`)).body.member_count, 1)
  })

  it('says why members with more permissions cannot be changed', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Readers', role: 'clerk' })
    const strong = await createGroup(app, { name: 'Administrators of the north', role: 'admin' })
    await createUser(app, { username: 'edith', role: 'admin' })
    await createUser(app, { ...keeper, role: 'support' })
    const page = await openConsole(t, browser, { api, path: `groups/${group}`, as: keeper })
    await page.getByText('This group has no members yet.').waitFor()
    await button(page, 'Add members').click()
    await page.getByRole('textbox', { name: 'Or paste a list' }).fill('edith keeper')
    await button(page, 'Preview').click()
    const each = page.getByRole('list', { name: 'Each user' }).getByRole('listitem')
    await each.first().waitFor()
    assert.match((await each.allInnerTexts()).join('\n'), /^edith\nRefused\n.*permission.*\nkeeper\nWould be added$/)
    await page.goto(`${api}/console/groups/${strong}`)
    await button(page, 'Add members').click()
    await page.getByRole('textbox', { name: 'Or paste a list' }).fill('keeper')
    await button(page, 'Preview').click()
    await page.getByText('The group gives the role admin, which has permissions that your credential lacks.').waitFor()
    await page.getByText('Nothing was changed.').waitFor()
  })

  it('adds all users who match to a group, removes them from it, and undoes both', async (t) => {
    const { app, api } = await startConsole(t)
    const group = await createGroup(app, { name: 'Support' })
    await addUsers(app, 1200)
    const count = async () => (await app.call('GET', `/groups/${group}`)).body.member_count
    const page = await openConsole(t, browser, { api, path: 'users?q=user.' })
    await page.getByRole('checkbox', { name: 'Select user.1200' }).click()
    await button(page, 'Select all 1,200 that match').click()
    await page.getByRole('checkbox', { name: 'Select user.1200' }).click()
    await button(page, 'Add to group').click()
    const adding = dialog(page, 'Add to a group')
    await adding.getByRole('combobox', { name: 'Group' }).selectOption('Support')
    await adding.getByRole('button', { name: 'Preview' }).click()
    await adding.getByText('Would be added').waitFor()
    assert.equal(await count(), 0)
    await adding.getByRole('button', { name: 'Add 1,199 users' }).click()
    await adding.getByRole('button', { name: 'Undo: remove 1,199 users' }).waitFor()
    assert.equal(await count(), 1199)
    await adding.getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('checkbox', { name: 'Select user.1199' }).click()
    await button(page, 'Remove from group').click()
    const removing = dialog(page, 'Remove from a group')
    await removing.getByRole('combobox', { name: 'Group' }).selectOption('Support')
    await removing.getByRole('button', { name: 'Preview' }).click()
    await removing.getByRole('button', { name: 'Remove 1 user' }).click()
    await removing.getByRole('button', { name: 'Undo: add 1 user' }).waitFor()
    assert.equal(await count(), 1198)
    await removing.getByRole('button', { name: 'Undo: add 1 user' }).click()
    await page.getByText('Added: 1').waitFor()
    assert.equal(await count(), 1199)
  })

  it('filters the users by group', async (t) => {
    const { app, api } = await startConsole(t)
    const group = await createGroup(app, { name: 'Support' })
    const { user_id } = await createUser(app, { username: 'grace' })
    await createUser(app, { username: 'radia' })
    await join(app, group, user_id)
    const page = await openConsole(t, browser, { api })
    await page.getByRole('row', { name: /radia/ }).waitFor()
    await button(page, 'Filters').click()
    await page.getByRole('combobox', { name: 'Group' }).selectOption('Support')
    await page.waitForURL(new RegExp(`group=${group}`))
    await page.getByText('1–1 of 1').waitFor()
    assert.equal(await page.getByRole('row', { name: /radia/ }).count(), 0)
    await page.keyboard.press('Escape')
    await button(page, 'Remove the filter: Group: Support').click()
    await page.getByRole('row', { name: /radia/ }).waitFor()
  })

  it('shows the groups of a user and where each permission comes from, adds and removes by keyboard alone', async (t) => {
    const { app, api, user_id: ada } = await startConsole(t, { env })
    const support = await createGroup(app, { name: 'Support', role: 'support', description: 'Answers customers' })
    const admins = await createGroup(app, { name: 'Administrators of the north', role: 'admin' })
    await join(app, admins, ada)
    assert.equal((await app.call('PATCH', `/users/${ada}`, { body: { role: 'user' } })).status, 200)
    const { user_id } = await createUser(app, { username: 'grace', role: 'clerk' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=groups` })
    await page.getByText('Not in any group.').waitFor()
    await page.getByRole('row', { name: 'users:read Own role clerk' }).waitFor()
    await tabTo(page, 'Choose a groupAdministrators of the north (role admin)Support (role support)')
    await page.keyboard.type('Supp')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('grace was added to Support.').waitFor()
    await page.getByRole('row', { name: 'groups:write Role support through the group Support' }).waitFor()
    await page
      .getByRole('row', { name: /^users:read Own role clerk Role support through the group Support$/ })
      .waitFor()
    assert.equal((await app.call('GET', `/groups/${support}`)).body.member_count, 1)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('Added to a group').waitFor()
    await page.getByRole('tab', { name: 'Groups' }).click()
    await button(page, 'Remove from Support').focus()
    await page.keyboard.press('Enter')
    await page.getByText('grace was removed from Support.').waitFor()
    await page.getByText('Not in any group.').waitFor()
    // The focus stays where the row was.
    await tabTo(page, 'Add')

    // The refusals of the API are said here as well.
    await page.goto(`${api}/console/users/${ada}?tab=groups`)
    await button(page, 'Remove from Administrators of the north').click()
    await page.getByText('The user was not removed from the group.').waitFor()
    await page
      .getByRole('alert')
      .getByText(/administrator/)
      .waitFor()
    assert.equal((await app.call('GET', `/groups/${admins}`)).body.member_count, 1)
  })

  it('shows the signed-in user their groups and the source of each permission', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const group = await createGroup(app, { name: 'Support', role: 'support' })
    const { user_id } = await createUser(app, keeper)
    await join(app, group, user_id)
    const page = await openConsole(t, browser, { api, path: 'profile', as: keeper })
    await page.getByRole('heading', { name: 'What you may do' }).waitFor()
    await page.getByRole('row', { name: 'users:read Role support through the group Support' }).waitFor()
    await page.getByText('Your groups:').getByRole('link', { name: 'Support' }).click()
    await heading(page, 'Support').waitFor()

    const plain = { username: 'plain', password: 'a moth in relay seventy' }
    await createUser(app, plain)
    const other = await openConsole(t, browser, { api, path: 'profile', as: plain })
    await other.getByText('None, except signing in and changing your own profile.').waitFor()
  })

  it('opens the page and creates a group from anywhere', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'roles' })
    await heading(page, 'Roles').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Groups' }).waitFor()
    await page.keyboard.type('create gr')
    await page.getByRole('option', { name: 'Create group' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog(page, 'Create group').waitFor()
    await page.waitForURL(/\/groups$/)
  })

  it('passes axe and fits phones with groups, light and dark', async (t) => {
    const { app, api, user_id } = await startConsole(t, { env })
    const group = await createGroup(app, {
      name: 'Kundenbetreuung und Rechnungsprüfung der nördlichen Niederlassungen',
      description: 'Answers customers and checks invoices of the subsidiaries',
      role: 'support',
    })
    await createGroup(app, { name: 'فريق الدعم' })
    await join(app, group, user_id)
    for (const width of [1440, 320]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const viewport = { width, height: 800 }
        const page = await openConsole(t, browser, { api, path: 'groups', viewport, colorScheme })
        const seen = async (what: string) => {
          await page.waitForLoadState('networkidle')
          await assertAccessible(page, `${what}, ${width}, ${colorScheme}`)
          await assertFitsWidth(page, `${what}, ${width}`)
        }
        await page.getByRole('link', { name: /^Kundenbetreuung/ }).waitFor()
        await seen('groups')
        await button(page, 'Create group').click()
        await dialog(page, 'Create group').waitFor()
        await seen('creating')
        await page.keyboard.press('Escape')
        await page.getByRole('link', { name: /^Kundenbetreuung/ }).click()
        await button(page, 'Edit group').waitFor()
        await seen('group')
        await button(page, 'Add members').click()
        await page.getByRole('searchbox', { name: 'Find users' }).fill('ada')
        await page.getByRole('checkbox', { name: /Ada/ }).click()
        await seen('choosing')
        await page.getByRole('textbox', { name: 'Or paste a list' }).fill('nobody')
        await button(page, 'Preview').click()
        await page.getByText('There is nothing to change.').waitFor()
        await seen('preview')
        await page.keyboard.press('Escape')
        await button(page, 'Discard').click()
        await button(page, 'Delete group').click()
        await page.getByText('1 member leaves the group and stays a user.').waitFor()
        await seen('deleting')
        await page.keyboard.press('Escape')
        await page.goto(`${api}/console/users/${user_id}?tab=groups`)
        await page
          .getByRole('row', { name: /through the group|Full access/ })
          .first()
          .waitFor()
        await seen('user')
        await page.goto(`${api}/console/profile`)
        await page.getByRole('heading', { name: 'What you may do' }).waitFor()
        await page.getByRole('row', { name: /Full access/ }).waitFor()
        await seen('profile')
        await page.close()
      }
    }
  })
})
