import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { environmentKind, environmentName, productName } from './page-names.ts'

describe('the names in the head of the page', () => {
  it('are the default ones without a page', () => assert.deepEqual([productName, environmentName], ['Rollbook', '']))

  it('have a colour by their words', () => {
    const names = {
      production: ['production', 'Production (EU)', 'PROD', 'eu-prod', 'eu_prod_1', 'live'],
      trial: ['staging', 'Stage 2', 'pre-production', 'preprod', 'non-prod', 'test', 'QA', 'staging of production'],
      other: ['development', 'Ada’s laptop', 'products', 'contest', 'demo', ''],
    }
    for (const [kind, all] of Object.entries(names))
      for (const name of all) assert.equal(environmentKind(name), kind, name)
  })
})
