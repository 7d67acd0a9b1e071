/** The page that the `type` of every problem document links to. */
import type { FastifyInstance } from 'fastify'
import { type ProblemCode, problems } from '../../core/errors.ts'
import { problemsPath } from '../response/problem.ts'
import { problemTexts } from './problem-texts.ts'
import { type Reference, referenceMarkdown, serveReference } from './reference-page.ts'

const introduction = [
  'Every refusal is a problem document (RFC 9457, `application/problem+json`), and its `type` leads to the paragraph here. `code` is for programs: it is never renamed and never means something else. `detail` says what happened this time, and `instance` is the id of the request, which the log has too.',
  'Go by `status` and `code`, never by the words of `title` and `detail`: those may be improved. What is answered with 503 may be repeated after the seconds in `Retry-After`.',
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
