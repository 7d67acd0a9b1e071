import type { FastifyInstance } from 'fastify'
import { memberFault, validationFailed } from '../../../core/errors.ts'
import {
  expectedPolicy,
  type PolicyText,
  readPolicyText,
  type SecondFactorPolicy,
  toPolicyText,
} from '../../../core/second-factor.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../../http/endpoint/next-page.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { readRequest } from '../../../http/response/send-stream.ts'
import { timestamp } from '../../../lib/instant.ts'
import * as answers from './answers.ts'
import { sentenceOf } from './factor-policy.ts'
import {
  type ListWithoutFactor,
  listWithoutFactorSchema,
  type SecondFactorPolicyTest,
  type TestSecondFactorPolicy,
} from './schema.ts'

type Needs = Pick<HttpLayer, 'storage' | 'links'>

export function routes(app: FastifyInstance, needs: Needs): void {
  testRoute(app, needs)
  listRoute(app, needs)
}

function testRoute(app: FastifyInstance, { storage }: Needs): void {
  app.route({
    ...operation({
      name: 'test_second_factor_policy',
      method: 'POST',
      path: '/second-factor-policy/test',
      access: 'users:read',
      scope: 'global',
      isRepeatable: true,
      description: answers.testDescription,
      body: 'TestSecondFactorPolicy',
      returns: 'SecondFactorPolicyTest',
      responses: { 200: 'The effect of the policy.' },
      problems: ['storage_unavailable'],
      example: { policy: { admin: 'required' } },
    }),
    async handler(request, reply): Promise<SecondFactorPolicyTest> {
      const { roles, secondFactor, secondFactorFromMs } = storage.rules
      const policyText = (request.body as TestSecondFactorPolicy).policy
      const policy = policyText === undefined ? secondFactor : readPolicy(policyText)
      // On PostgreSQL the last moment's commits are counted when they are settled.
      await storage.settleJournal()
      const counts = await storage.query(
        'second_factor_policy.count',
        { policy, roles, now: request.now },
        readRequest(reply),
      )
      return {
        policy: toPolicyText(policy),
        from: secondFactorFromMs > 0 ? timestamp(secondFactorFromMs) : null,
        ...counts,
        without_factor: counts.users - counts.with_factor,
        sentence: sentenceOf(counts, { from: secondFactorFromMs, now: request.now }),
      }
    },
  })
}

function listRoute(app: FastifyInstance, { storage, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_users_without_factor',
      method: 'GET',
      path: '/second-factor-policy/users',
      access: 'users:read',
      scope: 'global',
      description: answers.listDescription,
      query: listWithoutFactorSchema,
      returns: 'UserWithoutFactor[]',
      responses: { 200: 'A page of users.' },
      problems: ['storage_unavailable'],
    }),
    async handler(request, reply) {
      const query = request.query as ListWithoutFactor
      const { roles, secondFactor: policy } = storage.rules
      const input = { ...query, policy, roles, now: request.now }
      await storage.settleJournal()
      const page = await storage.query('second_factor_policy.users', input, readRequest(reply))
      linkToNext(reply, links, '/second-factor-policy/users', { cursor: page.next })
      return page.users
    },
  })
}

/** @throws AppError `validation_failed` */
function readPolicy(input: PolicyText): SecondFactorPolicy {
  const policy = readPolicyText(input)
  if (policy === undefined) throw validationFailed([memberFault('policy', 'invalid', `Expected: ${expectedPolicy}.`)])
  return policy
}
