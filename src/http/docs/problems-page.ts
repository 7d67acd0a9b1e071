/** The page that the `type` of every problem document links to. */
import type { FastifyInstance } from 'fastify'
import { type ProblemCode, problems } from '../../core/errors.ts'
import { problemsPath } from '../response/problem.ts'
import { problemTexts } from './problem-texts.ts'
import { type Reference, referenceMarkdown, serveReference } from './reference-page.ts'

const introduction = [
  'Every refusal is a problem document (RFC 9457, `application/problem+json`), and its `type` links to the paragraph here. `code` is for programs: it is never renamed, and its meaning never changes. `detail` says what happened this time, and `instance` is the request id, which is also in the log.',
  'Rely on `status` and `code`, not on the wording of `title` and `detail`, which may be improved. After a 503 you may repeat the request when the seconds in `Retry-After` have passed.',
]

const reference: Reference = {
  title: 'Problems',
  introduction,
  namesOf: 'Codes',
  entries: (Object.keys(problems) as ProblemCode[]).map((code) => {
    const [status, title] = problems[code]
    return { name: code, kind: String(status), title, ...problemTexts[code] }
  }),
}

export function problemsPage(app: FastifyInstance): void {
  serveReference(app, problemsPath, reference)
}

/** The same as Markdown, for docs/problems.md. */
export function problemsMarkdown(): string {
  return referenceMarkdown(reference, 'src/http/docs/problem-texts.ts', problemsPath)
}
