import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changes } from './commands.ts'

describe('the traits of changes', () => {
  it('are those that were measured: a lost one costs speed that no other test sees', () => {
    assert.deepEqual([...changes.besideJournal].toSorted(), [
      'groups.change_members',
      'groups.set_member',
      'keys.record_use',
      'me.update',
      'scim.create_user',
      'scim.patch_group',
      'scim.patch_user',
      'scim.replace_user',
      'sessions.begin',
      'sessions.record_use',
      'sign_in.finish',
      'throttles.clear',
      'throttles.give_back',
      'throttles.reserve',
      'users.create',
      'users.update',
    ])
    assert.deepEqual([...changes.provisional], ['throttles.reserve'])
    assert.deepEqual([...changes.ofManyRows].toSorted(), [
      'imports.advance',
      'roles.move_holders',
      'users.change_many',
      'users.restore_many',
    ])
    // Without it, two nodes could decide by different roles.
    assert.deepEqual([...changes.ofRules].toSorted(), [
      'configuration.apply',
      'organizations.create',
      'organizations.delete_with_belongings',
      'organizations.update',
      'policies.update',
      'roles.create',
      'roles.delete',
      'roles.finish_replacement',
      'roles.update',
    ])
    assert.deepEqual(Object.keys(changes.sharing).toSorted(), ['users.create', 'users.update'])
  })
})
