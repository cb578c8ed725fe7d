#include "header_main.h"
