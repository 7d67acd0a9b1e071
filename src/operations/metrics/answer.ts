import { chooseEncoding, compress } from '../../http/response/compress.ts'
import type { Metrics } from './metrics.ts'

type Answer = { headers: Record<string, string>; body: Uint8Array }

/** For both ports; Prometheus accepts gzip, which shrinks the text to a tenth. */
export async function answerScrape(metrics: Metrics, acceptEncoding: string | undefined): Promise<Answer> {
  const { contentType, text } = await metrics.scrape()
  const [body, encoding] = await compress(Buffer.from(text), chooseEncoding(acceptEncoding))
  const headers = { 'content-type': contentType, vary: 'accept-encoding' }
  return { headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding }, body }
}
