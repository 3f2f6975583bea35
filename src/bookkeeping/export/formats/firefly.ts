import { lineFormat } from "../format.ts";

/**
 * Bodies of Firefly III's POST /api/v1/exchange-rates, one on each line. A rate that it has of the
 * same date and currencies is replaced.
 *
 * Defined by its schema CurrencyExchangeRateStore: firefly-iii/api-docs,
 * dist/firefly-iii-v6.6.2-v1.yaml at 8356c933413e; and by its code: firefly-iii/firefly-iii,
 * app/Api/V1/Requests/Models/CurrencyExchangeRate/StoreRequest.php at 768d8b15151a.
 */
export const firefly = lineFormat(
  ({ date, base, rate, quote }) =>
    `{"date":"${date}","from":"${base}","to":"${quote}","rate":"${rate}"}`,
);
