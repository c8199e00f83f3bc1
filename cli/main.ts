import { readConfig } from "../src/platform/config.ts";
import { serve } from "./serve.ts";
await serve(readConfig(process.env), "all");
